/**
 * The company's own proxy, where this machine has no direct internet access. Ship's egress proxy decides first, then dials
 * through it. Its address and credentials stay here: nothing inside a sandbox sees them.
 */
import { trustedAuthorities, type Authorities } from '../certificates/authorities.ts';
import { matchesBlock, parseCidr, parseIp, type Cidr } from './ip.ts';

export interface ProxyEndpoint {
  isSecure: boolean;
  host: string;
  port: number;
  /** The value of `Proxy-Authorization`. */
  authorization: string | undefined;
  /** Authorities that may sign the certificate of a proxy at an `https://` address. */
  authorities: Authorities;
}

/** In the environment: `HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY`. */
export interface ProxySettings {
  https?: string | undefined;
  http?: string | undefined;
  noProxy?: string | undefined;
}

export interface UpstreamProxies {
  https: ProxyEndpoint | undefined;
  http: ProxyEndpoint | undefined;
  /** Whether `NO_PROXY` exempts this host, or this address of it, from the proxy. */
  isDirect(host: string, port: number, address?: string): boolean;
}

/** `http://user:password@proxy.corp.example:3128`. Undefined for anything else, including SOCKS. */
export function parseProxyUrl(text: string): Omit<ProxyEndpoint, 'authorities'> | undefined {
  const withScheme = text.includes('://') ? text : `http://${text}`;
  const url = URL.canParse(withScheme) ? new URL(withScheme) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.hostname === '') return undefined;
  const isSecure = url.protocol === 'https:';
  return {
    isSecure,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (isSecure ? 443 : 80) : Number(url.port),
    authorization: authorizationOf(url),
  };
}

function authorizationOf({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined;
  const plain = `${decode(username)}:${decode(password)}`;
  return `Basic ${Buffer.from(plain).toString('base64')}`;
}

/** A bare `%` in a password is not an escape, and must not fail. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function upstreamProxies(
  { https, http, noProxy }: ProxySettings,
  authorities: Authorities = trustedAuthorities([]),
): UpstreamProxies {
  const endpoint = (text: string | undefined): ProxyEndpoint | undefined => {
    const parsed = text ? parseProxyUrl(text) : undefined;
    return parsed && { ...parsed, authorities };
  };
  const entries = (noProxy ?? '')
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .map(parseDirect);
  return {
    https: endpoint(https),
    http: endpoint(http),
    isDirect: (host, port, address) => entries.some((isDirect) => isDirect(host, port, address)),
  };
}

type IsDirect = UpstreamProxies['isDirect'];

/** `*`, `10.0.0.0/8`, `host`, `.suffix`, `*.suffix`, names optionally with `:port`. A name covers its subdomains. */
function parseDirect(entry: string): IsDirect {
  const lower = entry.toLowerCase();
  if (lower === '*') return () => true;
  const block = parseCidr(lower);
  if (block !== undefined) return (host, _port, address) => isWithin(block, address ?? host);
  const [, name = '', portText] = /^(?:\*?\.)?([^:]*)(?::([0-9]+))?$/.exec(lower) ?? [];
  if (name === '') return () => false;
  return (host, port) =>
    (host === name || host.endsWith(`.${name}`)) &&
    (portText === undefined || Number(portText) === port);
}

function isWithin(block: Cidr, address: string): boolean {
  const ip = parseIp(address);
  return ip !== undefined && matchesBlock(block, ip);
}
