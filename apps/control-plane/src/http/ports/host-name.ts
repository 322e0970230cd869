import { SessionId } from '@ship/protocol';
import type { RequestOrigin } from '../request-origin.ts';
import { type HostRules, isLoopback } from '../guard.ts';

/** One port of one session, as encoded in a host name. */
export interface PortHost {
  sessionId: SessionId;
  port: number;
  /** The parent domain. */
  base: string;
}

/** Host name labels allow no underscore, so the label omits `ses_`. */
const LABEL = /^([1-9][0-9]{0,4})-([0-9a-z]{26})$/;

/** Undefined for names without this format or below a foreign domain. */
export function readPortHost(
  hostname: string,
  { names, previewHost }: HostRules,
): PortHost | undefined {
  const name = hostname.toLowerCase();
  const dot = name.indexOf('.');
  const base = name.slice(dot + 1);
  const [, port, tail] = LABEL.exec(name.slice(0, dot)) ?? [];
  const isOurs = base === previewHost || names.has(base);
  if (dot === -1 || port === undefined || !isOurs || Number(port) > 65_535) return undefined;
  const sessionId = SessionId.safeParse(`ses_${tail}`);
  return sessionId.success ? { sessionId: sessionId.data, port: Number(port), base } : undefined;
}

type Origin = Pick<RequestOrigin, 'protocol' | 'hostname' | 'port'>;

/**
 * The origin of a port: below the preview host. Without one, below the host under which the web app was opened, so that both are
 * the same site to a browser. An IP address has no subdomains, and those of `localhost` are separate sites, so there the first
 * suitable host is used.
 */
export function portOrigin(
  page: Origin,
  { sessionId, port }: Omit<PortHost, 'base'>,
  hosts: HostRules,
): string | undefined {
  const base = hosts.previewHost ?? parentOfPorts(page, hosts);
  if (base === undefined) return undefined;
  return originOf(`${port}-${sessionId.slice('ses_'.length)}.${base}`, page);
}

/** The origin of the web app that can frame a port: the current one, or the same app under another host. */
export function framingOrigin(page: Origin, hosts: HostRules): string | undefined {
  const name =
    hosts.previewHost === undefined
      ? parentOfPorts(page, hosts)
      : withPreferred(page.hostname, hosts).find(canBeInPolicy);
  return name === undefined ? undefined : originOf(name, page);
}

/** Origins that may frame a port below `base`. */
export function framingOrigins({ base }: PortHost, called: Origin, hosts: HostRules): string[] {
  const names = base === hosts.previewHost ? [...hosts.names].filter(canBeInPolicy) : [base];
  return names.map((name) => originOf(name, called));
}

/** The `frame-src` of the web app's Content-Security-Policy. */
export function frameSource(page: Origin, { previewHost }: HostRules): string {
  const base = previewHost ?? page.hostname;
  return canHaveSubdomains(base) ? originOf(`*.${base}`, page) : "'none'";
}

/**
 * Whether a browser treats the port's page as cross-site to the app, but still keeps its cookies in a frame: those must be
 * secure, which needs TLS or a loopback host.
 */
export const isAnotherSite = ({ base }: PortHost, url: URL, { previewHost }: HostRules): boolean =>
  base === previewHost && (url.protocol === 'https:' || isLoopback(base));

const originOf = (host: string, { protocol, port }: Origin): string =>
  `${protocol}//${host}${port && `:${port}`}`;

const withPreferred = (hostname: string, { names }: HostRules): string[] =>
  [hostname.toLowerCase(), ...names].filter((name) => names.has(name));

const parentOfPorts = (page: Origin, hosts: HostRules): string | undefined =>
  withPreferred(page.hostname, hosts).find(canHaveSubdomains);

/** The grammar of Content-Security-Policy allows no IPv6 address. */
const canBeInPolicy = (name: string): boolean => !name.startsWith('[');

function canHaveSubdomains(name: string): boolean {
  return name.includes('.') && !/^[0-9.]+$/.test(name) && !name.startsWith('[');
}
