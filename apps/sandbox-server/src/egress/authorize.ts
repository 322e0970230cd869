import type { Clock } from '../lifecycle/clock.ts';
import type { Resolver } from './dial.ts';
import type { Meter } from './ledger.ts';
import { judge, judgeName, type OwnerPolicy, type RuleName } from './policy.ts';
import type { EgressSession } from './session.ts';
import type { Target } from './target.ts';

export type Authorization =
  | {
      verdict: 'allow';
      address: string;
      /** Writes the connection into the ledger, under its TLS server name too where that is another one. */
      record: (serverName?: string) => Meter;
    }
  | { verdict: 'deny'; rule: RuleName; explanation: string };

const REMEDY: Record<RuleName, string> = {
  'owner-allow': '',
  'sandbox-allow': '',
  'owner-deny': 'The owner of this machine denies it; only the owner can change that.',
  'sandbox-deny':
    "This sandbox's network rules deny it; change network.allowOut or network.denyOut.",
  'not-listed':
    'It is not on the allow-list; add it to network.allowOut of the sandbox or to the server.',
  address: 'It leads to a private, local or reserved address, which sandboxes must not reach.',
  port: 'This port is closed to sandboxes; use http or https on an allowed port.',
  unresolvable: 'Its name could not be resolved.',
  malformed: 'Write the host as a plain name or a plain address.',
  'tunnel-port': 'There is no CONNECT to port 80; send plain http requests to the proxy itself.',
  'tls-only': 'Only TLS is spoken on this port; use https.',
  'server-name': 'Its TLS server name is not on the allow-list.',
  'no-server-name': 'The TLS client names no server (SNI), so it cannot be checked.',
  'encrypted-name': 'The TLS client encrypts the name of its server (ECH); turn that off.',
};

export function explain(host: string, rule: RuleName): string {
  return `Ship egress: ${JSON.stringify(host.slice(0, 253))} is refused (${rule}). ${REMEDY[rule]}`;
}

/** Decides one connection. A refused one is in the ledger then; an allowed one when the caller records it. */
export async function authorize(
  session: EgressSession,
  target: Target,
  owner: OwnerPolicy,
  resolve: Resolver,
  clock: Clock,
): Promise<Authorization> {
  const refuse = (rule: RuleName): Authorization => {
    session.ledger.record(
      { host: target.host, port: target.port, verdict: 'deny', rule },
      clock.nowMs(),
    );
    return { verdict: 'deny', rule, explanation: explain(target.host, rule) };
  };
  const before = judgeName(target, owner, session.policy);
  if (before.verdict === 'deny') return refuse(before.rule);
  let addresses: string[];
  try {
    addresses = target.kind === 'address' ? [target.host] : await resolve(target.host);
  } catch {
    return refuse('unresolvable');
  }
  const verdict = judge(target, addresses, owner, session.policy);
  if (verdict.verdict === 'deny') return refuse(verdict.rule);
  const { address, rule } = verdict;
  const contact = { host: target.host, port: target.port, verdict: 'allow', rule } as const;
  const record = (serverName?: string): Meter =>
    session.ledger.record(
      { ...contact, ...(serverName !== undefined && { serverName }) },
      clock.nowMs(),
    );
  return { verdict: 'allow', address, record };
}
