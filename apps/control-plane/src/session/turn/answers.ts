import { ShipFailure } from '@ship/protocol';
import type { Recorder } from './recorder.ts';
import type { TurnDeps } from './ports.ts';

/** Delivers people's answers, which are in the log already, to the agent; a failed delivery is retried. */
export async function deliverAnswers(
  deps: Pick<TurnDeps, 'agent' | 'state'>,
  recorder: Recorder,
): Promise<void> {
  try {
    await deliver(deps, recorder);
  } catch (error) {
    if (!(error instanceof ShipFailure)) throw error;
  }
}

/** Idempotent. */
async function deliver(
  { agent, state }: Pick<TurnDeps, 'agent' | 'state'>,
  recorder: Recorder,
): Promise<void> {
  const { questions, permissions } = state();
  for (const { requestId, answer } of questions) {
    if (answer === null) continue;
    if (answer.answers === null) recorder.ingest.refuse(requestId);
    await agent.answerQuestion(requestId, answer.answers);
    await recorder.store(recorder.ingest.closeAsk(requestId).drafts);
  }
  for (const { requestId, answer } of permissions) {
    if (answer === null) continue;
    if (answer.reply === 'reject') recorder.ingest.refuse(requestId);
    await agent.answerPermission(requestId, answer.reply, answer.message);
    await recorder.store(recorder.ingest.closeAsk(requestId).drafts);
  }
}
