import { sandboxPolicy } from '../egress/network-rules.ts';
import type { SandboxNetwork, SandboxRecord } from '../store/records.ts';
import type { LifecycleContext } from './context.ts';
import type { Sandboxes } from './sandboxes.ts';

/** Replaces the egress rules; the ingress rules are fixed at creation. */
export async function updateNetwork(
  context: LifecycleContext,
  sandboxes: Sandboxes,
  id: string,
  outbound: Pick<SandboxNetwork, 'allowOut' | 'denyOut' | 'rules'>,
  allowInternetAccess: boolean | undefined,
): Promise<void> {
  const policy = sandboxPolicy(outbound, allowInternetAccess);
  await sandboxes.runExclusive(id, async (record) => {
    const { allowInternetAccess: _before, network, ...rest } = record;
    const { allowOut: _allow, denyOut: _deny, rules: _rules, ...inbound } = network ?? {};
    const next: SandboxRecord = {
      ...rest,
      ...(allowInternetAccess === undefined ? {} : { allowInternetAccess }),
      network: { ...inbound, ...outbound },
    };
    await context.records.put(next);
    context.egress.setPolicy(id, policy);
    context.events.add(id, 'info', 'its network rules were replaced');
  });
}
