import type { BootStage } from '@ship/protocol';
import { ShipFailure } from '@ship/protocol';
import { foreignFailure } from '../../sandbox/failure.ts';
import type { SessionStore } from '../session-store.ts';

/** Whether this sandbox has been through the stage: a new sandbox starts with none. */
export function isDone(store: SessionStore, stage: BootStage): boolean {
  return (
    store.state?.stages.some((known) => known.stage === stage && known.error === null) ?? false
  );
}

const codeOf = (thrown: unknown): string => foreignFailure('sandbox', thrown).code;

/** Times a boot stage and records its outcome, in the log and for people. */
export async function runStage<Value>(
  store: SessionStore,
  stage: BootStage,
  work: () => Promise<Value>,
): Promise<Value> {
  const startedAt = Date.now();
  const finish = (error: ShipFailure['error'] | null) =>
    store.observe({ type: 'stage.finish', stage, durationMs: Date.now() - startedAt, error });
  try {
    const value = await store.trace.span(`stage.${stage}`, work, codeOf);
    if (!isDone(store, stage)) finish(null);
    return value;
  } catch (thrown) {
    const error = foreignFailure('sandbox', thrown);
    finish(error);
    throw new ShipFailure(error);
  }
}
