import { evolve } from '@ship/core';
import { type DurableEnvelope, type SessionState, knownEvent } from '@ship/protocol';
import { NOTHING_SEEN, type Seen } from '../result/result.ts';

/** A session's log as it comes: its state, and what the state does not keep. */
export class SessionFold {
  state: SessionState | undefined;
  readonly seen: Seen = { ...NOTHING_SEEN };
  readonly #startedAt = new Map<string, number>();

  add(events: readonly DurableEnvelope[]): void {
    for (const envelope of events) {
      this.state = evolve(this.state, envelope);
      this.#remember(envelope);
    }
  }

  /** The agent says something that has no place in the log yet. */
  heardLive(nowMs: number): void {
    if (this.state !== undefined)
      this.seen.firstTokenMs ??= Math.max(0, nowMs - this.state.createdAt);
  }

  #remember(envelope: DurableEnvelope): void {
    const event = knownEvent(envelope);
    const sinceCreation = envelope.at - (this.state?.createdAt ?? envelope.at);
    switch (event?.type) {
      case 'turn.started': {
        const { turnId } = event.data;
        // The first attempt: a turn that was tried again took as long as all of them.
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
