import { parseIp, parseIpv4, type Ip } from './ip.ts';

/** The destination that a sandbox requests, in the normalized form that rules use. */
export type Target =
  | { kind: 'name'; host: string; port: number }
  | { kind: 'address'; host: string; port: number; ip: Ip };

const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/**
 * Accepts only a plain DNS name, a dotted-decimal IPv4 address or an IPv6 address. Refuses names that end in a
 * number (`127.1`, `2130706433`, `0x7f.1`), because a resolver may read them as addresses.
 */
export function parseHost(text: string): { host: string; ip: Ip | undefined } | undefined {
  const lower = text.toLowerCase();
  const bracketed = lower.startsWith('[') && lower.endsWith(']');
  if (bracketed) {
    const ip = parseIp(lower.slice(1, -1));
    return ip?.family === 6 ? { host: lower.slice(1, -1), ip } : undefined;
  }
  const v4 = parseIpv4(lower);
  if (v4 !== undefined) return { host: lower, ip: v4 };
  const name = lower.endsWith('.') ? lower.slice(0, -1) : lower;
  if (name.length === 0 || name.length > 253) return undefined;
  const labels = name.split('.');
  const last = labels.at(-1) ?? '';
  if (!labels.every((label) => LABEL.test(label))) return undefined;
  if (/^[0-9]+$/.test(last) || /^0x[0-9a-f]*$/.test(last)) return undefined;
  return { host: name, ip: undefined };
}

function parsePort(text: string): number | undefined {
  if (!/^[1-9][0-9]{0,4}$/.test(text)) return undefined;
  const port = Number(text);
  return port <= 65_535 ? port : undefined;
}

function toTarget(hostText: string, port: number | undefined): Target | undefined {
  const parsed = parseHost(hostText);
  if (parsed === undefined || port === undefined) return undefined;
  return parsed.ip === undefined
    ? { kind: 'name', host: parsed.host, port }
    : { kind: 'address', host: parsed.host, port, ip: parsed.ip };
}

/** The target of `CONNECT host:port`; the port is mandatory there. */
export function parseAuthority(authority: string): Target | undefined {
  const colon = authority.lastIndexOf(':');
  if (colon <= 0) return undefined;
  return toTarget(authority.slice(0, colon), parsePort(authority.slice(colon + 1)));
}

/** The target and path of `GET http://host[:port]/path`. Refuses user info: it would carry secrets into logs. */
export function parseAbsoluteUrl(url: string): { target: Target; path: string } | undefined {
  const match = /^http:\/\/(\[[^\]/?#@]*\]|[^:/?#@]*)(?::([0-9]*))?([/?].*)?$/i.exec(url);
  if (match === null) return undefined;
  const [, hostText = '', portText, rest = '/'] = match;
  const target = toTarget(hostText, portText ? parsePort(portText) : 80);
  if (target === undefined) return undefined;
  return { target, path: rest.startsWith('?') ? `/${rest}` : rest };
}
