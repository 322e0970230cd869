import { evolve } from '@ship/core';
import { type DurableEnvelope, type SessionState, knownEvent } from '@ship/protocol';
import { NO_LOG_FACTS, type LogFacts } from '../result/result.ts';

/** Folds a session's log into its state, and collects facts that the state does not keep. */
export class SessionFold {
  state: SessionState | undefined;
  readonly seen: LogFacts = { ...NO_LOG_FACTS };
  readonly #startedAt = new Map<string, number>();

  add(events: readonly DurableEnvelope[]): void {
    for (const envelope of events) {
      this.state = evolve(this.state, envelope);
      this.#remember(envelope);
    }
  }

  /** Live output counts as the first token: it is not in the log yet. */
  onLive(nowMs: number): void {
    if (this.state !== undefined)
      this.seen.firstTokenMs ??= Math.max(0, nowMs - this.state.createdAt);
  }

  #remember(envelope: DurableEnvelope): void {
    const event = knownEvent(envelope);
    const sinceCreation = envelope.at - (this.state?.createdAt ?? envelope.at);
    switch (event?.type) {
      case 'turn.started': {
        const { turnId } = event.data;
        // Keep the first attempt's start: a retried turn takes as long as all its attempts.
        if (!this.#startedAt.has(turnId)) this.#startedAt.set(turnId, event.at);
        return;
      }
      case 'text.finished':
      case 'tool.started':
      case 'step.finished':
        this.seen.firstTokenMs ??= sinceCreation;
        return;
      case 'pull-request.opened':
        this.seen.pullRequestMs ??= sinceCreation;
        return;
      case 'turn.finished': {
        const { turnId, outcome } = event.data;
        const start = this.#startedAt.get(turnId);
        this.seen.outcome = outcome;
        this.seen.turnMs = start === undefined ? null : event.at - start;
        this.#startedAt.delete(turnId);
      }
    }
  }
}
