/**
 * Egress policy. Pure: the caller resolves names and dials; this only decides. In two steps, because a name
 * that can never be allowed must not even be resolved (a DNS query itself carries data out).
 */
import {
  contains,
  isNeverReachable,
  isNeverReachableBlock,
  isPublic,
  matchesBlock,
  parseCidr,
  parseIp,
  parseIpv4,
  type Cidr,
  type Ip,
} from './ip.ts';
import type { Target } from './target.ts';

export type Rule =
  | { kind: 'everything' }
  | { kind: 'name'; name: string }
  | { kind: 'suffix'; suffix: string }
  | { kind: 'block'; block: Cidr }
  | PrivateRule;

/**
 * One host of the owner's own network. Without a block: at any private address that is not always refused. Without a
 * port: at the ports that are open for all hosts. Without a name: the block is the address itself.
 */
interface PrivateRule {
  kind: 'private';
  name: string | undefined;
  block: Cidr | undefined;
  port: number | undefined;
}

export interface OwnerPolicy {
  allow: readonly Rule[];
  deny: readonly Rule[];
  /** Non-public addresses that the owner opens, such as a package mirror on the LAN. */
  allowPrivate: readonly Cidr[];
  ports: ReadonlySet<number>;
  /** Addresses of this machine's interfaces: even public ones must not lead back to the host. */
  hostAddresses: readonly Ip[];
}

export interface SandboxPolicy {
  allowOut: readonly Rule[];
  denyOut: readonly Rule[];
  /** False: only `allowOut` is reachable. */
  internet: boolean;
}

export type RuleName =
  | 'owner-allow'
  | 'sandbox-allow'
  | 'owner-deny'
  | 'sandbox-deny'
  | 'not-listed'
  | 'address'
  | 'port'
  | 'unresolvable'
  | 'malformed'
  | 'tunnel-port'
  | 'tls-only'
  | 'server-name'
  | 'no-server-name'
  | 'encrypted-name';

type NameVerdict = { verdict: 'resolve' } | { verdict: 'deny'; rule: RuleName };
type Verdict =
  | { verdict: 'allow'; rule: RuleName; ip: Ip; address: string }
  /** `address`: the refused one, if the address is the reason. */
  | { verdict: 'deny'; rule: RuleName; address?: string };

/** Loopback and metadata services by name. */
const LOCAL_NAME = /(^|\.)localhost$|^metadata(\.google\.internal)?$|^instance-data(\.|$)/;
/** ssh and mail: git over ssh would need a key, and mail can carry any data. */
const NEVER_PORTS = new Set([22, 25, 465, 587]);
const NAME_RULE = /^(\*\.)?[a-z0-9_](?:[a-z0-9_.-]{0,250}[a-z0-9_])?$/;

/**
 * `example.com` (that host), `*.example.com` (any subdomain), an address, a block, `*`/`0.0.0.0/0` (everything), or a host
 * of the owner's own network: `registry.corp.example=private`, `registry.corp.example:8443=10.20.0.0/16`.
 */
export function parseRule(text: string): Rule | undefined {
  const lower = text.trim().toLowerCase();
  if (lower.includes('=')) return parsePrivateRule(lower);
  if (lower === '*' || lower === '0.0.0.0/0') return { kind: 'everything' };
  const block = parseCidr(lower);
  if (block !== undefined) return { kind: 'block', block };
  if (!NAME_RULE.test(lower) || lower.includes('..') || /(^|\.)[0-9]+$/.test(lower))
    return undefined;
  return lower.startsWith('*.')
    ? { kind: 'suffix', suffix: lower.slice(1) }
    : { kind: 'name', name: lower };
}

const PRIVATE_RULE = /^([^=:]+)(?::([1-9][0-9]{0,4}))?=([^=]+)$/;

function parsePrivateRule(text: string): PrivateRule | undefined {
  const [, host = '', portText, where = ''] = PRIVATE_RULE.exec(text) ?? [];
  const block = where === 'private' ? undefined : parseCidr(where);
  if (where !== 'private' && block === undefined) return undefined;
  const port = portText === undefined ? undefined : Number(portText);
  if (port !== undefined && (port > 65_535 || NEVER_PORTS.has(port))) return undefined;
  const literal = parseIpv4(host);
  if (literal !== undefined) {
    if (block !== undefined) return undefined;
    return { kind: 'private', name: undefined, block: { ...literal, prefix: 32 }, port };
  }
  const named = parseRule(host);
  return named?.kind === 'name' ? { kind: 'private', name: named.name, block, port } : undefined;
}

/** False for an entry that covers only addresses which are always refused: its author expects it to have an effect. */
export function canOpen(rule: Rule): boolean {
  return rule.kind !== 'private' || rule.block === undefined || !isNeverReachableBlock(rule.block);
}

function opensPrivate(rule: Rule, host: string | undefined, ip: Ip): boolean {
  return (
    rule.kind === 'private' &&
    (rule.name === undefined || rule.name === host) &&
    (rule.block === undefined || matchesBlock(rule.block, ip))
  );
}

function matchesName(rule: Rule, host: string): boolean {
  if (rule.kind === 'everything') return true;
  if (rule.kind === 'name' || rule.kind === 'private') return host === rule.name;
  return rule.kind === 'suffix' && host.endsWith(rule.suffix) && host.length > rule.suffix.length;
}

function matches(rule: Rule, host: string | undefined, ip: Ip): boolean {
  if (rule.kind === 'block') return matchesBlock(rule.block, ip);
  if (rule.kind === 'private' && rule.name === undefined) return opensPrivate(rule, host, ip);
  return rule.kind === 'everything' || (host !== undefined && matchesName(rule, host));
}

/** A rule with a port applies at that port; any other rule, at the ports that are open for all hosts. */
function atPort(rules: readonly Rule[], port: number, owner: OwnerPolicy): Rule[] {
  return rules.filter((rule) =>
    rule.kind === 'private' && rule.port !== undefined ? rule.port === port : owner.ports.has(port),
  );
}

function listsAt(
  port: number,
  owner: OwnerPolicy,
  sandbox: SandboxPolicy,
): { allow: Rule[]; allowOut: Rule[] } {
  return {
    allow: atPort(owner.allow, port, owner),
    allowOut: atPort(sandbox.allowOut, port, owner),
  };
}

/** Before resolving: refuses names that no address could make acceptable. */
export function judgeName(target: Target, owner: OwnerPolicy, sandbox: SandboxPolicy): NameVerdict {
  const { allow, allowOut } = listsAt(target.port, owner, sandbox);
  if (!owner.ports.has(target.port) && allow.length + allowOut.length === 0)
    return { verdict: 'deny', rule: 'port' };
  if (target.kind === 'address') return { verdict: 'resolve' };
  if (owner.deny.some((rule) => matchesName(rule, target.host))) {
    return { verdict: 'deny', rule: 'owner-deny' };
  }
  const reachable = (rule: Rule): boolean =>
    rule.kind === 'block' || matchesName(rule, target.host);
  if (allowOut.some(reachable)) return { verdict: 'resolve' };
  if (!sandbox.internet || sandbox.denyOut.some((rule) => rule.kind === 'everything')) {
    return { verdict: 'deny', rule: 'sandbox-deny' };
  }
  if (allow.some(reachable)) return { verdict: 'resolve' };
  return { verdict: 'deny', rule: owner.ports.has(target.port) ? 'not-listed' : 'port' };
}

/** Decides by the address alone, independent of the lists of names. */
function mayDial(
  host: string | undefined,
  ip: Ip,
  owner: OwnerPolicy,
  listed: readonly Rule[],
): boolean {
  if (owner.allowPrivate.some((block) => contains(block, ip))) return true;
  const isOwnHost = owner.hostAddresses.some(
    (own) => own.family === ip.family && own.value === ip.value,
  );
  // No list entry opens these: a name can be pointed at them after the entry was written.
  if (isOwnHost || isNeverReachable(ip)) return false;
  if (isPublic(ip)) return true;
  return listed.some((rule) => opensPrivate(rule, host, ip));
}

function judgeAddress(
  { host, port }: { host: string | undefined; port: number },
  ip: Ip,
  owner: OwnerPolicy,
  sandbox: SandboxPolicy,
): { verdict: 'allow' | 'deny'; rule: RuleName } {
  if (owner.deny.some((rule) => matches(rule, host, ip)))
    return { verdict: 'deny', rule: 'owner-deny' };
  const { allow, allowOut } = listsAt(port, owner, sandbox);
  if (!mayDial(host, ip, owner, [...allow, ...allowOut]))
    return { verdict: 'deny', rule: 'address' };
  if (allowOut.some((rule) => matches(rule, host, ip))) {
    return { verdict: 'allow', rule: 'sandbox-allow' };
  }
  if (!sandbox.internet || sandbox.denyOut.some((rule) => matches(rule, host, ip))) {
    return { verdict: 'deny', rule: 'sandbox-deny' };
  }
  if (allow.some((rule) => matches(rule, host, ip)))
    return { verdict: 'allow', rule: 'owner-allow' };
  return { verdict: 'deny', rule: 'not-listed' };
}

/**
 * After resolving: picks the first address that may be dialled. The caller dials exactly this address and never resolves
 * the name again, because a second answer could differ (DNS rebinding).
 */
export function judge(
  target: Target,
  addresses: readonly string[],
  owner: OwnerPolicy,
  sandbox: SandboxPolicy,
): Verdict {
  const before = judgeName(target, owner, sandbox);
  if (before.verdict === 'deny') return before;
  const host = target.kind === 'name' ? target.host : undefined;
  let refused: Verdict = { verdict: 'deny', rule: 'unresolvable' };
  for (const address of addresses) {
    const ip = parseIp(address);
    if (ip === undefined) continue;
    const { verdict, rule } = judgeAddress({ host, port: target.port }, ip, owner, sandbox);
    if (verdict === 'allow') return { verdict, rule, ip, address };
    refused = { verdict, rule, ...(rule === 'address' && { address }) };
  }
  return refused;
}

/**
 * For a name that an upstream proxy resolves, because this machine cannot: the lists decide by the name alone. A block of
 * addresses does not apply to such a name, and local names would refer to the proxy's machine.
 */
export function judgeUnresolved(
  host: string,
  port: number,
  owner: OwnerPolicy,
  sandbox: SandboxPolicy,
): { verdict: 'allow' | 'deny'; rule: RuleName } {
  const before = judgeName({ kind: 'name', host, port }, owner, sandbox);
  if (before.verdict === 'deny') return before;
  if (LOCAL_NAME.test(host)) return { verdict: 'deny', rule: 'address' };
  const { allow, allowOut } = listsAt(port, owner, sandbox);
  if (allowOut.some((rule) => matchesName(rule, host)))
    return { verdict: 'allow', rule: 'sandbox-allow' };
  const isListed = allow.some((rule) => matchesName(rule, host));
  const isOpen = sandbox.internet && !sandbox.denyOut.some((rule) => rule.kind === 'everything');
  return isListed && isOpen
    ? { verdict: 'allow', rule: 'owner-allow' }
    : { verdict: 'deny', rule: 'not-listed' };
}
