import type { Clock } from '../lifecycle/clock.ts';
import type { Destination, Resolver } from './dial.ts';
import type { Meter } from './ledger.ts';
import { judge, judgeName, judgeUnresolved, type OwnerPolicy, type RuleName } from './policy.ts';
import type { EgressSession } from './session.ts';
import type { Target } from './target.ts';
import { explain } from './refusal.ts';
import type { ProxyEndpoint, UpstreamProxies } from './upstream-proxy.ts';

export type Authorization =
  | {
      verdict: 'allow';
      destination: Destination;
      /** Records the connection in the ledger, also under its TLS server name if that differs. */
      record: (serverName?: string) => Meter;
    }
  | { verdict: 'deny'; rule: RuleName; explanation: string };

export interface Authority {
  owner: OwnerPolicy;
  resolve: Resolver;
  clock: Clock;
  proxies: UpstreamProxies;
}

/** Behind a proxy, many machines cannot resolve outside names, and some resolvers take long to fail. */
const RESOLVE_LIMIT_MS = 1_000;

/** Decides one connection. Records a refusal immediately; the caller records an allowed connection. */
export async function authorize(
  session: EgressSession,
  target: Target,
  scheme: 'http' | 'https',
  authority: Authority,
): Promise<Authorization> {
  const { owner, clock, proxies } = authority;
  const { host, port } = target;
  const refuse = (rule: RuleName, address?: string): Authorization => {
    const attempt = { host, port, verdict: 'deny', rule } as const;
    session.ledger.record({ ...attempt, ...(address !== undefined && { address }) }, clock.nowMs());
    return { verdict: 'deny', rule, explanation: explain(host, rule) };
  };
  const before = judgeName(target, owner, session.policy);
  if (before.verdict === 'deny') return refuse(before.rule);
  const proxy = proxies.isDirect(host, port) ? undefined : proxies[scheme];
  const addresses = await addressesOf(target, authority.resolve, proxy);
  const isUnresolved = proxy !== undefined && addresses.length === 0;
  const verdict: { verdict: 'allow' | 'deny'; rule: RuleName; address?: string } = isUnresolved
    ? judgeUnresolved(host, port, owner, session.policy)
    : judge(target, addresses, owner, session.policy);
  const { rule, address } = verdict;
  if (verdict.verdict === 'deny') return refuse(rule, address);
  const isDirect = address !== undefined && proxies.isDirect(host, port, address);
  const attempt = { host, port, verdict: 'allow', rule } as const;
  const record = (serverName?: string): Meter =>
    session.ledger.record(
      { ...attempt, ...(serverName !== undefined && { serverName }) },
      clock.nowMs(),
    );
  const destination = { host, port, address, proxy: isDirect ? undefined : proxy };
  return { verdict: 'allow', destination, record };
}

/** Empty when the name does not resolve, or not in time where the upstream proxy can resolve it too. */
async function addressesOf(
  target: Target,
  resolve: Resolver,
  proxy: ProxyEndpoint | undefined,
): Promise<string[]> {
  if (target.kind === 'address') return [target.host];
  const found = resolve(target.host).catch(() => []);
  if (proxy === undefined) return found;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string[]>((resolveLate) => {
    timer = setTimeout(() => resolveLate([]), RESOLVE_LIMIT_MS);
  });
  return Promise.race([found, late]).finally(() => clearTimeout(timer));
}
