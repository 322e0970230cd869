/**
 * Who may talk to whom. Pure: the caller resolves names and dials; here it is only decided. Two steps, because a name
 * that can never be allowed must not even be looked up (a DNS question carries data out by itself).
 */
import { contains, isPublic, matchesBlock, parseCidr, parseIp, type Cidr, type Ip } from './ip.ts';
import type { Target } from './target.ts';

export type Rule =
  | { kind: 'everything' }
  | { kind: 'name'; name: string }
  | { kind: 'suffix'; suffix: string }
  | { kind: 'block'; block: Cidr };

export interface OwnerPolicy {
  allow: readonly Rule[];
  deny: readonly Rule[];
  /** Non-public addresses that the owner opens by name, such as a package mirror on the LAN. */
  allowPrivate: readonly Cidr[];
  ports: ReadonlySet<number>;
  /** Addresses of this machine's own interfaces: public ones too must not lead back into the host. */
  hostAddresses: readonly Ip[];
}

export interface SandboxPolicy {
  allowOut: readonly Rule[];
  denyOut: readonly Rule[];
  /** False: nothing but `allowOut`. */
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
  | { verdict: 'deny'; rule: RuleName };

const NAME_RULE = /^(\*\.)?[a-z0-9_](?:[a-z0-9_.-]{0,250}[a-z0-9_])?$/;

/** `example.com` (that host), `*.example.com` (any below it), an address, a block, or `*`/`0.0.0.0/0` (everything). */
export function parseRule(text: string): Rule | undefined {
  const lower = text.trim().toLowerCase();
  if (lower === '*' || lower === '0.0.0.0/0') return { kind: 'everything' };
  const block = parseCidr(lower);
  if (block !== undefined) return { kind: 'block', block };
  if (!NAME_RULE.test(lower) || lower.includes('..') || /(^|\.)[0-9]+$/.test(lower))
    return undefined;
  return lower.startsWith('*.')
    ? { kind: 'suffix', suffix: lower.slice(1) }
    : { kind: 'name', name: lower };
}

function matchesName(rule: Rule, host: string): boolean {
  if (rule.kind === 'everything') return true;
  if (rule.kind === 'name') return host === rule.name;
  return rule.kind === 'suffix' && host.endsWith(rule.suffix) && host.length > rule.suffix.length;
}

function matches(rule: Rule, host: string | undefined, ip: Ip): boolean {
  if (rule.kind === 'block') return matchesBlock(rule.block, ip);
  return rule.kind === 'everything' || (host !== undefined && matchesName(rule, host));
}

/** Before resolving: refuses what no address could save. */
export function judgeName(target: Target, owner: OwnerPolicy, sandbox: SandboxPolicy): NameVerdict {
  if (!owner.ports.has(target.port)) return { verdict: 'deny', rule: 'port' };
  if (target.kind === 'address') return { verdict: 'resolve' };
  if (owner.deny.some((rule) => matchesName(rule, target.host))) {
    return { verdict: 'deny', rule: 'owner-deny' };
  }
  const reachable = (rule: Rule): boolean =>
    rule.kind === 'block' || matchesName(rule, target.host);
  if (sandbox.allowOut.some(reachable)) return { verdict: 'resolve' };
  if (!sandbox.internet || sandbox.denyOut.some((rule) => rule.kind === 'everything')) {
    return { verdict: 'deny', rule: 'sandbox-deny' };
  }
  if (owner.allow.some(reachable)) return { verdict: 'resolve' };
  return { verdict: 'deny', rule: 'not-listed' };
}

function judgeAddress(
  host: string | undefined,
  ip: Ip,
  owner: OwnerPolicy,
  sandbox: SandboxPolicy,
): { verdict: 'allow' | 'deny'; rule: RuleName } {
  if (owner.deny.some((rule) => matches(rule, host, ip)))
    return { verdict: 'deny', rule: 'owner-deny' };
  const opened = owner.allowPrivate.some((block) => contains(block, ip));
  const ownHost = owner.hostAddresses.some(
    (own) => own.family === ip.family && own.value === ip.value,
  );
  if (!opened && (ownHost || !isPublic(ip))) return { verdict: 'deny', rule: 'address' };
  if (sandbox.allowOut.some((rule) => matches(rule, host, ip))) {
    return { verdict: 'allow', rule: 'sandbox-allow' };
  }
  if (!sandbox.internet || sandbox.denyOut.some((rule) => matches(rule, host, ip))) {
    return { verdict: 'deny', rule: 'sandbox-deny' };
  }
  if (owner.allow.some((rule) => matches(rule, host, ip)))
    return { verdict: 'allow', rule: 'owner-allow' };
  return { verdict: 'deny', rule: 'not-listed' };
}

/**
 * After resolving: picks the first address that may be dialled. The caller dials exactly this address and never asks
 * the resolver again, for a second answer could be another one (DNS rebinding).
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
  let refused: RuleName = 'unresolvable';
  for (const address of addresses) {
    const ip = parseIp(address);
    if (ip === undefined) continue;
    const { verdict, rule } = judgeAddress(host, ip, owner, sandbox);
    if (verdict === 'allow') return { verdict, rule, ip, address };
    refused = rule;
  }
  return { verdict: 'deny', rule: refused };
}
