import type { BootStage, SessionState, ShipError } from '@ship/protocol';

export const stageLabels: Readonly<Record<BootStage, string>> = {
  sandbox: 'Sandbox',
  clone: 'Clone',
  setup: 'Setup',
  agent: 'Agent',
};

export interface StageRow {
  readonly stage: BootStage;
  readonly state: 'done' | 'running' | 'waiting' | 'failed';
  readonly durationMs: number | null;
  readonly error: ShipError | null;
}

const order: readonly BootStage[] = ['sandbox', 'clone', 'setup', 'agent'];

/** The boot stages in order, with the state of each. */
export function bootRows({
  stages,
  sandbox,
}: Pick<SessionState, 'stages' | 'sandbox'>): readonly StageRow[] {
  let isFirstOpen = sandbox.status === 'starting' || sandbox.status === 'running';
  return order.map((stage): StageRow => {
    const known = stages.find((one) => one.stage === stage);
    // Ignore stages of an earlier sandbox while a new one starts.
    const isCurrent =
      known !== undefined && (sandbox.status !== 'starting' || known.finishedAt >= sandbox.since);
    if (known !== undefined && isCurrent)
      return {
        stage,
        state: known.error === null ? 'done' : 'failed',
        durationMs: known.durationMs,
        error: known.error,
      };
    const state = isFirstOpen ? 'running' : 'waiting';
    isFirstOpen = false;
    return { stage, state, durationMs: null, error: null };
  });
}

/** True while a prompt waits for the agent to start. */
export function isBooting(
  state: Pick<SessionState, 'stages' | 'sandbox' | 'queue' | 'activity'>,
): boolean {
  const { sandbox, queue, activity } = state;
  const isQueued = queue.length > 0 && activity.status !== 'held';
  const isWanted = isQueued || activity.status === 'working';
  if (sandbox.status === 'starting' || sandbox.status === 'retrying') return true;
  return (
    isWanted &&
    sandbox.status !== 'failed' &&
    bootRows(state).some(({ state: one }) => one === 'running' || one === 'waiting')
  );
}
