import { SessionId } from '@ship/protocol';
import type { HostRules } from '../guard.ts';

/** One port of one session, as the name of a host says it. */
export interface PortPlace {
  sessionId: SessionId;
  port: number;
  /** The name of the page's own host, which is the rest of this one's. */
  base: string;
}

/** A label of a host name has no underscore, hence no `ses_`. */
const LABEL = /^([1-9][0-9]{0,4})-([0-9a-z]{26})$/;

/** Undefined for every name that is not of this form below one of ours. */
export function readPortHost(hostname: string, { names }: HostRules): PortPlace | undefined {
  const name = hostname.toLowerCase();
  const dot = name.indexOf('.');
  const base = name.slice(dot + 1);
  const [, port, tail] = LABEL.exec(name.slice(0, dot)) ?? [];
  if (dot === -1 || port === undefined || !names.has(base) || Number(port) > 65_535)
    return undefined;
  const sessionId = SessionId.safeParse(`ses_${tail}`);
  return sessionId.success ? { sessionId: sessionId.data, port: Number(port), base } : undefined;
}

/**
 * The origin of a port. Below the name under which the page was opened, so that the two are the same site to a browser:
 * frames of other sites get neither cookies nor storage. Nothing can be below an address, and names below the bare
 * `localhost` are sites of their own; for those the first name of ours that will do is taken.
 */
export function portOrigin(
  pageUrl: URL,
  { sessionId, port }: Omit<PortPlace, 'base'>,
  { names }: HostRules,
): string | undefined {
  const hostname = pageUrl.hostname.toLowerCase();
  const base = [hostname, ...names].find((name) => names.has(name) && canHaveNamesBelow(name));
  if (base === undefined) return undefined;
  const label = `${port}-${sessionId.slice('ses_'.length)}`;
  return `${pageUrl.protocol}//${label}.${base}${pageUrl.port && `:${pageUrl.port}`}`;
}

export function canHaveNamesBelow(name: string): boolean {
  return name.includes('.') && !/^[0-9.]+$/.test(name) && !name.startsWith('[');
}
