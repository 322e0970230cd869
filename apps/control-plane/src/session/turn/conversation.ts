import { classify } from '@ship/core';
import { type ShipError, ShipFailure } from '@ship/protocol';
import type { AgentSignal, AgentSnapshot } from '../../agent/port.ts';
import type { TurnStart } from './begin.ts';
import { messagePrefix } from './message-id.ts';
import type { TurnDeps, TurnEnd, TurnRequest } from './ports.ts';
import type { Recorder } from './recorder.ts';
import { type Verdict, interrupted, verdictOn } from './verdict.ts';

/** After an abort or when idle, the agent stores its last answer a moment later. */
const SETTLE_MS = 4_000;
const SETTLE_PAUSE_MS = 100;
/** An accepted prompt is answered within this time, or never. */
const UNANSWERED_MS = 45_000;
/** One unanswered request is no reason to give up the agent. */
const MAX_FAILED_READS = 3;

/** The agent's side of one attempt: what it received, the state it reports, and how to stop it. */
export class Conversation {
  readonly #deps: TurnDeps;
  readonly #request: TurnRequest;
  readonly #start: Omit<TurnStart, 'ingest'>;
  readonly #recorder: Recorder;
  #isPrompted = false;
  #unansweredSince: number | undefined;
  #failedReads = 0;
  /** A failure before there was any answer to judge by. */
  #earlyError: ShipError | undefined;

  constructor(
    deps: TurnDeps,
    request: TurnRequest,
    start: Omit<TurnStart, 'ingest'>,
    recorder: Recorder,
  ) {
    this.#deps = deps;
    this.#request = request;
    this.#start = start;
    this.#recorder = recorder;
  }

  note(signal: AgentSignal): void {
    if (signal.kind !== 'error' || signal.sessionId !== this.#start.agentSessionId) return;
    if (signal.failure.kind === 'error') this.#earlyError = classify(signal.failure.facts);
  }

  isIdle({ kind, sessionId }: AgentSignal): boolean {
    return kind === 'idle' && sessionId === this.#start.agentSessionId;
  }

  /**
   * Called once the stream is open, so that nothing is missed: reads the history, and sends the prompt unless the agent has it.
   */
  async resume(): Promise<TurnEnd | undefined> {
    if (this.#isPrompted || !this.#start.isUnsent) {
      const snapshot = await this.#readSnapshot();
      if (snapshot === undefined) return undefined;
      if (this.#isPrompted || this.#hasPrompt(snapshot)) {
        this.#isPrompted = true;
        return this.judge();
      }
      // An earlier attempt that Ship lost track of may still be running.
      if (!snapshot.isIdle) await this.halt();
    }
    await this.#prompt();
    return undefined;
  }

  async #prompt(): Promise<void> {
    await this.#recorder.store(this.#recorder.ingest.interrupt());
    const { agentSessionId, messageId, text, attachments } = this.#start;
    const { model, mode } = this.#request;
    if (this.#deps.stop.aborted) return;
    await this.#deps.agent.prompt({
      sessionId: agentSessionId,
      messageId,
      text,
      attachments,
      model,
      mode,
    });
    this.#isPrompted = true;
  }

  /** How the attempt ended, if the agent is done with it. */
  async judge(): Promise<TurnEnd | undefined> {
    const deadline = this.#deps.now() + SETTLE_MS;
    for (;;) {
      const snapshot = await this.#readSnapshot();
      if (snapshot?.isIdle !== true) return undefined;
      const verdict = this.#verdict(snapshot);
      if (verdict.kind === 'unanswered') return this.#unanswered();
      if (verdict.kind === 'over') return verdict.end;
      if (verdict.kind === 'completed') return this.#completed(verdict);
      if (this.#deps.now() > deadline) return { kind: 'fail', error: interrupted() };
      await pause();
    }
  }

  /** Stops the agent and keeps what it did. Returns when the agent is quiet or does not answer. */
  async halt(): Promise<void> {
    const deadline = this.#deps.now() + SETTLE_MS;
    do {
      await this.abort();
      const snapshot = await this.#readSnapshot().catch(() => undefined);
      if (snapshot === undefined) return;
      const { kind } = this.#verdict(snapshot);
      // A prompt that was accepted a moment ago has not begun yet, and cannot be aborted before it has.
      const isStarting = kind === 'unanswered' && this.#isPrompted && this.#hasPrompt(snapshot);
      if (snapshot.isIdle && kind !== 'unsettled' && !isStarting) return;
      await pause();
    } while (this.#deps.now() < deadline);
  }

  async abort(): Promise<void> {
    // An unreachable agent does nothing either.
    await this.#deps.agent.abort(this.#start.agentSessionId).catch(() => undefined);
  }

  async #completed(verdict: Verdict & { kind: 'completed' }): Promise<TurnEnd> {
    if (this.#request.mode === 'plan' && verdict.text.trim() !== '') {
      const plan = this.#recorder.ingest.proposePlan(verdict.messageId, verdict.text);
      await this.#recorder.store(plan.drafts);
    }
    return { kind: 'finish', outcome: { kind: 'completed' } };
  }

  #unanswered(): TurnEnd | undefined {
    if (this.#earlyError !== undefined) return { kind: 'fail', error: this.#earlyError };
    const now = this.#deps.now();
    this.#unansweredSince ??= now;
    return now - this.#unansweredSince > UNANSWERED_MS
      ? { kind: 'fail', error: interrupted() }
      : undefined;
  }

  #verdict(snapshot: AgentSnapshot): Verdict {
    const { agentSessionId, messageId } = this.#start;
    const hasRefused = this.#recorder.ingest.hasRefused();
    return verdictOn(snapshot, agentSessionId, messageId, hasRefused);
  }

  #hasPrompt({ signals }: AgentSnapshot): boolean {
    const { messageId } = this.#start;
    return signals.some((signal) => signal.kind === 'prompt' && signal.messageId === messageId);
  }

  /** Ingests everything that the agent remembers of the turn. Undefined when it did not answer this time. */
  async #readSnapshot(): Promise<AgentSnapshot | undefined> {
    const prefix = messagePrefix(this.#request.turnId);
    let snapshot: AgentSnapshot;
    try {
      snapshot = await this.#deps.agent.snapshot(this.#start.agentSessionId, prefix);
    } catch (error) {
      this.#failedReads += 1;
      if (!(error instanceof ShipFailure) || this.#failedReads >= MAX_FAILED_READS) throw error;
      return undefined;
    }
    this.#failedReads = 0;
    await this.#recorder.take(snapshot.signals);
    const { ingest } = this.#recorder;
    const closed = ingest.openAsks().filter((requestId) => !snapshot.openAsks.has(requestId));
    await this.#recorder.store(closed.flatMap((requestId) => ingest.closeAsk(requestId).drafts));
    return snapshot;
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, SETTLE_PAUSE_MS));
}
