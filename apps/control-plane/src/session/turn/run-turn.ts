import { DEFAULT_RECORDING_LIMITS, checkLimits, describeFlood, recordedSoFar } from '@ship/core';
import { ShipFailure, type TurnOutcome } from '@ship/protocol';
import type { AgentSignal } from '../../agent/port.ts';
import { RecordingQuota } from '../ingest/quota.ts';
import { deliverAnswers } from './answers.ts';
import { beginTurn } from './begin.ts';
import { Checkpoints } from './checkpoints.ts';
import { Conversation } from './conversation.ts';
import { Inbox } from './inbox.ts';
import type { TurnDeps, TurnEnd, TurnRequest } from './ports.ts';
import { Recorder } from './recorder.ts';
import { type StreamItem, followAgent } from './stream.ts';
import { interrupted } from './verdict.ts';

/** How often answers and limits are checked when nothing else happens. */
const TICK_MS = 500;
/** After this much silence the agent's state is read, in case its last signal was lost. */
const SILENCE_MS = 15_000;

/**
 * Runs one turn until it ends. Idempotent after a crash at any point, with the same request: nothing is stored or sent twice,
 * and the agent's own history fills the gap. Rejects only when `record` fails; every other failure is a `TurnEnd`.
 */
export async function runTurn(deps: TurnDeps, request: TurnRequest): Promise<TurnEnd> {
  const inbox = new Inbox<StreamItem>();
  const closing = new AbortController();
  // Opens the stream while the conversation is looked up.
  const following = followAgent(deps.agent, inbox, closing.signal);
  try {
    const { ingest, ...start } = await beginTurn(deps, request);
    const limits = deps.recordingLimits ?? DEFAULT_RECORDING_LIMITS;
    const quota = new RecordingQuota(request.turnId, limits, recordedSoFar(deps.state()));
    const recorder = new Recorder(deps, ingest, quota);
    const conversation = new Conversation(deps, request, start, recorder);
    return await work(deps, inbox, recorder, conversation);
  } catch (error) {
    if (error instanceof ShipFailure) return { kind: 'fail', error: error.error };
    throw error;
  } finally {
    closing.abort();
    inbox.close();
    await following;
  }
}

async function work(
  deps: TurnDeps,
  inbox: Inbox<StreamItem>,
  recorder: Recorder,
  conversation: Conversation,
): Promise<TurnEnd> {
  const checkpoints = new Checkpoints(() => deps.afterStep());
  // Registered before anything is awaited: Stop must take effect immediately.
  const onStop = () => {
    inbox.push({ kind: 'stop' });
    void conversation.abort();
  };
  deps.stop.addEventListener('abort', onStop, { once: true });
  try {
    const end = await pump(deps, inbox, recorder, conversation, checkpoints);
    await recorder.store(recorder.ingest.interrupt());
    await recorder.close();
    return end;
  } finally {
    deps.stop.removeEventListener('abort', onStop);
    await checkpoints.finished();
  }
}

async function pump(
  deps: TurnDeps,
  inbox: Inbox<StreamItem>,
  recorder: Recorder,
  conversation: Conversation,
  checkpoints: Checkpoints,
): Promise<TurnEnd> {
  let lastSignalAt = deps.now();
  let lastCheckedAt = lastSignalAt;
  const take = async (items: readonly StreamItem[]): Promise<AgentSignal[]> => {
    const signals = items.flatMap((item) => (item.kind === 'signal' ? [item.signal] : []));
    if (await recorder.take(signals)) checkpoints.request();
    for (const signal of signals) conversation.note(signal);
    return signals;
  };
  while (!deps.stop.aborted) {
    const items = await inbox.take(TICK_MS);
    if (items.some(({ kind }) => kind === 'signal')) lastSignalAt = deps.now();
    // Ingests the history that fills a gap before what came after it: the log would otherwise have a later text before an
    // earlier one.
    const openedAt = items.findLastIndex(({ kind }) => kind === 'open');
    await take(items.slice(0, openedAt + 1));
    if (openedAt !== -1 && !isLost(items)) {
      lastCheckedAt = deps.now();
      const end = await conversation.resume();
      if (end !== undefined) return end;
    }
    const signals = await take(items.slice(openedAt + 1));
    if (isLost(items)) return { kind: 'fail', error: interrupted() };
    await deliverAnswers(deps, recorder);

    const isSilent = deps.now() - Math.max(lastSignalAt, lastCheckedAt) > SILENCE_MS;
    if (isSilent || signals.some((signal) => conversation.isIdle(signal))) {
      lastCheckedAt = deps.now();
      const end = await conversation.judge();
      if (end !== undefined) return end;
    }
    const limited = flooded(recorder) ?? overLimit(deps, lastSignalAt);
    if (limited !== undefined) {
      await conversation.halt();
      return { kind: 'finish', outcome: limited };
    }
  }
  await conversation.halt();
  const by: unknown = deps.stop.reason;
  return {
    kind: 'finish',
    outcome: { kind: 'stopped', by: typeof by === 'string' ? by : 'somebody' },
  };
}

const isLost = (items: readonly StreamItem[]): boolean => items.some(({ kind }) => kind === 'lost');

function flooded({ flood }: Recorder): TurnOutcome | undefined {
  if (flood === undefined) return undefined;
  return { kind: 'paused', reason: 'output-limit', ...describeFlood(flood.limit), notBefore: null };
}

function overLimit(
  { state, limits, now }: TurnDeps,
  lastSignalAt: number,
): TurnOutcome | undefined {
  const { turn } = state();
  const decision = turn === null ? undefined : checkLimits(turn, limits, now(), lastSignalAt);
  if (decision?.kind !== 'stop') return undefined;
  const { reason, message, remedy, notBefore } = decision;
  return { kind: 'paused', reason, message, remedy, notBefore };
}
