/**
 * Decides which addresses the gateway may contact for a sandbox. Pure. Two kinds of hosts: those that the owner's
 * configuration names (or that a client has built in), and those that an answer of such a registry leads to.
 */
import { contains, parseCidr, parseIp, type Cidr, type Ip } from '../../egress/ip.ts';
import {
  judge,
  judgeName,
  judgeUnresolved,
  type OwnerPolicy,
  type RuleName,
  type SandboxPolicy,
} from '../../egress/policy.ts';
import { parseHost, type Target } from '../../egress/target.ts';

export interface RegistryPolicy {
  owner: OwnerPolicy;
  /** The owner's allow-list is exhaustive: a registry that is not on it is refused. */
  isListOnly: boolean;
}

type Verdict = { verdict: 'allow'; address: string } | { verdict: 'deny'; rule: RuleName };

const blocks = (...texts: string[]): Cidr[] => texts.flatMap((text) => parseCidr(text) ?? []);
const EVERYWHERE = blocks('0.0.0.0/0', '::/0');
const LOOPBACK = blocks('127.0.0.0/8', '::1', '::ffff:127.0.0.0/104');
/** Metadata services, link-local, unspecified, multicast: never a registry, even if a name resolves to them. */
const NEVER = blocks(
  '0.0.0.0/8',
  '169.254.0.0/16',
  '100.100.100.200',
  '192.0.0.192',
  '224.0.0.0/3',
  '::',
  'fe80::/10',
  'ff00::/8',
  'fd00:ec2::254',
  '::ffff:0.0.0.0/104',
  '::ffff:169.254.0.0/112',
);
const PUBLIC_PORTS: ReadonlySet<number> = new Set([80, 443]);

const isIn = (list: readonly Cidr[], ip: Ip): boolean => list.some((block) => contains(block, ip));

export function targetOf(url: URL): Target | undefined {
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
  const parsed = parseHost(url.hostname);
  if (parsed === undefined) return undefined;
  const { host, ip } = parsed;
  return ip === undefined ? { kind: 'name', host, port } : { kind: 'address', host, port, ip };
}

/** A loopback address counts only if the owner wrote it, not if a name happens to resolve to it. */
function namesLoopback({ kind, host }: Target): boolean {
  const ip = kind === 'address' ? parseIp(host) : undefined;
  return host === 'localhost' || (ip !== undefined && isIn(LOOPBACK, ip));
}

function widenPolicy(
  { owner, isListOnly }: RegistryPolicy,
  target: Target,
  isNamed: boolean,
): OwnerPolicy {
  const own = { kind: 'name', name: target.host } as const;
  const block = target.kind === 'address' ? parseCidr(target.host) : undefined;
  const rule = block === undefined ? own : ({ kind: 'block', block } as const);
  return {
    ...owner,
    allow: isListOnly ? owner.allow : [...owner.allow, rule],
    allowPrivate: isNamed ? [...owner.allowPrivate, ...EVERYWHERE] : owner.allowPrivate,
    ports: isNamed ? new Set([target.port]) : PUBLIC_PORTS,
  };
}

/** Also before a cached answer: a sandbox that may not reach a registry gets nothing from it. */
export function judgeRegistry(
  target: Target,
  policy: RegistryPolicy,
  sandbox: SandboxPolicy,
): RuleName | undefined {
  const owner = widenPolicy(policy, target, true);
  const verdict =
    target.kind === 'address'
      ? judge(target, [target.host], owner, sandbox)
      : judgeName(target, owner, sandbox);
  return verdict.verdict === 'deny' ? verdict.rule : undefined;
}

export function judgeUpstream(
  target: Target,
  addresses: readonly string[],
  isNamed: boolean,
  policy: RegistryPolicy,
  sandbox: SandboxPolicy,
): Verdict {
  const usable = addresses.filter((address) => {
    const ip = parseIp(address);
    if (ip === undefined || isIn(NEVER, ip)) return false;
    return !isIn(LOOPBACK, ip) || (isNamed && namesLoopback(target));
  });
  if (usable.length === 0 && addresses.length > 0) return { verdict: 'deny', rule: 'address' };
  const verdict = judge(
    target,
    usable,
    widenPolicy(policy, target, isNamed),
    isNamed ? sandbox : withCdn(sandbox, target.host),
  );
  return verdict.verdict === 'allow' ? { verdict: 'allow', address: verdict.address } : verdict;
}

/** For a name that only the machine's own proxy can resolve: there is no address to check. */
export function judgeUnresolvedUpstream(
  target: Target,
  isNamed: boolean,
  policy: RegistryPolicy,
  sandbox: SandboxPolicy,
): RuleName | undefined {
  const owner = widenPolicy(policy, target, isNamed);
  const rules = isNamed ? sandbox : withCdn(sandbox, target.host);
  const verdict = judgeUnresolved(target.host, target.port, owner, rules);
  return verdict.verdict === 'deny' ? verdict.rule : undefined;
}

/** A sandbox with an allow-list has the registry on it; the hosts that serve the registry's files are implied. */
function withCdn(sandbox: SandboxPolicy, host: string): SandboxPolicy {
  const isList = !sandbox.internet || sandbox.denyOut.some(({ kind }) => kind === 'everything');
  if (!isList) return sandbox;
  return { ...sandbox, allowOut: [...sandbox.allowOut, { kind: 'name', name: host }] };
}
