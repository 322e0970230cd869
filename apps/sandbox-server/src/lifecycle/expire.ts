import { eraseWithRetry } from './boot.ts';
import type { LifecycleContext } from './context.ts';
import { messageOf, Refusal } from './errors.ts';
import { markLost, pauseSandbox } from './pause.ts';
import type { Sandboxes } from './sandboxes.ts';

const RETRY_DELAY_MS = 5_000;

/** The timeout of a sandbox has passed: pauses or kills it, as its owner chose. */
export async function expire(
  context: LifecycleContext,
  sandboxes: Sandboxes,
  id: string,
): Promise<void> {
  try {
    await sandboxes.runExclusive(id, async (record) => {
      const { phase } = record;
      const endAtMs = phase.state === 'running' ? phase.endAtMs : undefined;
      const dueMs = phase.state === 'paused' ? phase.expiresAtMs : endAtMs;
      // Extended while this waited for the mutex, or the timer fired a millisecond early, as timers do: arm it again,
      // otherwise the sandbox would live forever.
      if (dueMs === undefined || dueMs > context.clock.nowMs()) {
        sandboxes.armTimer(record);
        return;
      }
      context.events.add(id, 'info', 'its timeout has passed');
      if (phase.state === 'paused' || record.autoPause === 'off') await sandboxes.erase(record);
      else await pauseSandbox(context, record, record.autoPause);
    });
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return;
    context.events.add(
      id,
      'error',
      `its timeout has passed, but it could not be ended: ${messageOf(error)}`,
    );
    context.clock.after(RETRY_DELAY_MS, () => void expire(context, sandboxes, id));
  }
}

/** The processes exited unexpectedly (out of memory, or killed from outside): keeps the files and records the loss. */
export async function handleExit(
  context: LifecycleContext,
  sandboxes: Sandboxes,
  id: string,
): Promise<void> {
  try {
    await context.mutex.run(id, async () => {
      const record = context.records.get(id);
      if (record === undefined) return;
      if (record.phase.state === 'pooled') {
        await eraseWithRetry(context, id);
        return;
      }
      const holdsProcesses =
        record.phase.state === 'running' ||
        (record.phase.state === 'paused' && record.phase.keeps === 'memory');
      // Started again in the meantime: the event is about the earlier processes.
      if (!holdsProcesses || (await context.backend.presence(id)) !== 'stopped') return;
      context.connections.dropConnections(id);
      const lost = markLost(context, record);
      await context.records.put(lost);
      sandboxes.armTimer(lost);
    });
  } catch (error) {
    context.events.add(
      id,
      'error',
      `its processes ended, and this could not be recorded: ${messageOf(error)}`,
    );
  }
}
