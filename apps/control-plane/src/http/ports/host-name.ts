import { SessionId } from '@ship/protocol';
import type { RequestOrigin } from '../request-origin.ts';
import { type HostRules, isLoopback } from '../guard.ts';

/** One port of one session, as the name of a host says it. */
export interface PortPlace {
  sessionId: SessionId;
  port: number;
  /** The rest of the name, below which it is. */
  base: string;
}

/** A label of a host name has no underscore, hence no `ses_`. */
const LABEL = /^([1-9][0-9]{0,4})-([0-9a-z]{26})$/;

/** Undefined for every name that is not of this form below one of ours. */
export function readPortHost(
  hostname: string,
  { names, previewHost }: HostRules,
): PortPlace | undefined {
  const name = hostname.toLowerCase();
  const dot = name.indexOf('.');
  const base = name.slice(dot + 1);
  const [, port, tail] = LABEL.exec(name.slice(0, dot)) ?? [];
  const isOurs = base === previewHost || names.has(base);
  if (dot === -1 || port === undefined || !isOurs || Number(port) > 65_535) return undefined;
  const sessionId = SessionId.safeParse(`ses_${tail}`);
  return sessionId.success ? { sessionId: sessionId.data, port: Number(port), base } : undefined;
}

type Called = Pick<RequestOrigin, 'protocol' | 'hostname' | 'port'>;

/**
 * The origin of a port: below the name that is there for it. Without one, below the name under which the page was opened, so
 * that the two are the same site to a browser; nothing can be below an address, and names below the bare `localhost` are
 * sites of their own, so there the first name of ours that will do is taken.
 */
export function portOrigin(
  page: Called,
  { sessionId, port }: Omit<PortPlace, 'base'>,
  hosts: HostRules,
): string | undefined {
  const base = hosts.previewHost ?? nameAbovePorts(page, hosts);
  if (base === undefined) return undefined;
  return originOf(`${port}-${sessionId.slice('ses_'.length)}.${base}`, page);
}

/** The page that can show a port in a frame: this one, or else the same one under another of our names. */
export function framingOrigin(page: Called, hosts: HostRules): string | undefined {
  const name =
    hosts.previewHost === undefined
      ? nameAbovePorts(page, hosts)
      : preferring(page.hostname, hosts).find(canBeInPolicy);
  return name === undefined ? undefined : originOf(name, page);
}

/** Who may frame a port below `base`. */
export function framingOrigins({ base }: PortPlace, called: Called, hosts: HostRules): string[] {
  const names = base === hosts.previewHost ? [...hosts.names].filter(canBeInPolicy) : [base];
  return names.map((name) => originOf(name, called));
}

/** What a page may frame, in the words of a Content-Security-Policy. */
export function frameSource(page: Called, { previewHost }: HostRules): string {
  const base = previewHost ?? page.hostname;
  return canHaveNamesBelow(base) ? originOf(`*.${base}`, page) : "'none'";
}

/**
 * Whether a browser takes the port's page for another site's than the app's, and keeps cookies for it in a frame all the same:
 * it does so for secure ones, which need TLS, or a name of this machine.
 */
export const isAnotherSite = ({ base }: PortPlace, url: URL, { previewHost }: HostRules): boolean =>
  base === previewHost && (url.protocol === 'https:' || isLoopback(base));

const originOf = (host: string, { protocol, port }: Called): string =>
  `${protocol}//${host}${port && `:${port}`}`;

const preferring = (hostname: string, { names }: HostRules): string[] =>
  [hostname.toLowerCase(), ...names].filter((name) => names.has(name));

const nameAbovePorts = (page: Called, hosts: HostRules): string | undefined =>
  preferring(page.hostname, hosts).find(canHaveNamesBelow);

/** An address of IPv6 has no place in the grammar of a Content-Security-Policy. */
const canBeInPolicy = (name: string): boolean => !name.startsWith('[');

function canHaveNamesBelow(name: string): boolean {
  return name.includes('.') && !/^[0-9.]+$/.test(name) && !name.startsWith('[');
}
