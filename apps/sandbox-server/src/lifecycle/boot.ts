import { sandboxPolicy } from '../egress/network-rules.ts';
import type { SandboxRecord } from '../store/records.ts';
import { specOf, type LifecycleContext } from './context.ts';
import { isDiskFull, messageOf, Refusal } from './errors.ts';

/** Opens the egress listener and starts the processes. */
export async function boot(context: LifecycleContext, record: SandboxRecord): Promise<void> {
  const policy = sandboxPolicy(record.network, record.allowInternetAccess);
  try {
    // In parallel; waits for both even when one fails, otherwise the clean-up would race with the other.
    const both = await Promise.allSettled([
      context.egress.open(record.id, context.ledgers.open(record.id), policy),
      context.backend.start(specOf(context, record)),
    ]);
    const failed = both.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  } catch (error) {
    context.events.add(record.id, 'error', `start failed: ${messageOf(error)}`);
    if (error instanceof Refusal || isDiskFull(error)) throw error;
    throw new Refusal(
      503,
      `The sandbox could not start: ${messageOf(error)}`,
      'Try again; if it keeps failing, check GET /ship/capabilities.',
    );
  }
}

/** Removes every trace of a sandbox. Idempotent: after a crash in the middle, the next start repeats it. */
export async function erase(context: LifecycleContext, id: string): Promise<void> {
  context.connections.dropConnections(id);
  await context.backend.destroy(id);
  await context.egress.remove(id);
  await context.ledgers.remove(id);
  await context.records.delete(id);
  context.events.forget(id);
}

const RETRY_DELAY_MS = 5_000;

/** Like `erase`, but retries until it succeeds: nothing else remembers the sandbox. */
export async function eraseWithRetry(context: LifecycleContext, id: string): Promise<void> {
  try {
    await erase(context, id);
  } catch (error) {
    context.events.add(id, 'error', `it could not be removed yet: ${messageOf(error)}`);
    context.clock.after(RETRY_DELAY_MS, () => {
      void context.mutex.run(id, () => eraseWithRetry(context, id)).catch(() => undefined);
    });
    throw new Refusal(
      503,
      `Sandbox ${id} could not be removed yet: ${messageOf(error)}`,
      'The server keeps trying; no action is needed.',
    );
  }
}
