import {
  NOTHING_RECORDED,
  type RecordedSoFar,
  type RecordingLimit,
  type RecordingLimits,
  addRecorded,
  artifactLimit,
  eventLimit,
  isExpendable,
  isFlood,
  recordedBy,
  sessionEvent,
} from '@ship/core';
import type { Recorded, SessionEvent, TurnId } from '@ship/protocol';
import { type Draft, draft } from './draft.ts';

/** Decides for one attempt what of the agent's work is recorded, and keeps count of what is left out. */
export class RecordingQuota {
  readonly #turnId: TurnId;
  readonly #limits: RecordingLimits;
  #soFar: RecordedSoFar;
  #cut: Recorded = NOTHING_RECORDED;
  #limit: RecordingLimit | null = null;
  #isTold = false;
  /** Calls and sub-agents whose start was left out: their end is left out too. */
  readonly #withoutStart = new Set<string>();

  constructor(turnId: TurnId, limits: RecordingLimits, soFar: RecordedSoFar) {
    this.#turnId = turnId;
    this.#limits = limits;
    this.#soFar = soFar;
  }

  /** The first limit that was reached. */
  get limit(): RecordingLimit | null {
    return this.#limit;
  }

  /** The turn has to be stopped; nothing more of it is recorded. */
  get isFlooded(): boolean {
    return isFlood(this.#soFar, this.#cut, this.#limits);
  }

  /** What is left of a draft; null when it is left out. */
  admit(item: Draft): Draft | null {
    const { event } = item;
    const id = pairOf(event);
    if (id !== null && isEnd(event) && this.#withoutStart.delete(id)) return this.#leaveOut(event);
    const limit = eventLimit(this.#soFar, this.#limits);
    if (limit === null) return item;
    this.#limit ??= limit;
    if (this.isFlooded && !isEnd(event)) return this.#leaveOut(event);
    if (!isExpendable(event)) return item;
    // A start that is in the log needs its end there: without what it printed.
    if (isEnd(event)) return draft(this.#stripped(event));
    if (id !== null) this.#withoutStart.add(id);
    return this.#leaveOut(event);
  }

  get hasArtifactRoom(): boolean {
    return artifactLimit(this.#soFar, this.#limits) === null;
  }

  /** Whether a long text may be stored beside its event. */
  admitsArtifact(bytes: number): boolean {
    const limit = artifactLimit(this.#soFar, this.#limits);
    if (limit === null) return true;
    this.#limit ??= limit;
    this.#cut = addRecorded(this.#cut, { ...NOTHING_RECORDED, artifacts: 1, artifactBytes: bytes });
    return false;
  }

  /** Whether what streams is still shown. */
  admitsLive(chars: number): boolean {
    if (this.#limit?.limit !== 'events' && this.#limit?.limit !== 'bytes') return true;
    this.#cut = addRecorded(this.#cut, { ...NOTHING_RECORDED, bytes: chars });
    return false;
  }

  /** To be called with everything that is stored, before the next draft is admitted. */
  note(event: SessionEvent): void {
    const weight = recordedBy(event);
    if (weight === null) return;
    const { turn, session } = this.#soFar;
    this.#soFar = { turn: addRecorded(turn, weight), session: addRecorded(session, weight) };
  }

  /** What the log has to say about it now, if anything: once when a limit is reached, and once at the end. */
  news(isFinal: boolean): Draft[] {
    if (this.#limit === null || (this.#isTold && !isFinal)) return [];
    this.#isTold = true;
    const data = { turnId: this.#turnId, ...this.#limit, isFinal, cut: this.#cut };
    return [draft(sessionEvent('recording.limited', data))];
  }

  #leaveOut(event: SessionEvent): null {
    this.#cut = addRecorded(this.#cut, recordedBy(event) ?? NOTHING_RECORDED);
    return null;
  }

  #stripped(event: SessionEvent): SessionEvent {
    if (event.type !== 'tool.finished') return event;
    const bytes = event.data.output.length + event.data.diff.length;
    this.#cut = addRecorded(this.#cut, { ...NOTHING_RECORDED, bytes });
    return { ...event, data: { ...event.data, output: '', diff: '', edits: [] } };
  }
}

function isEnd({ type }: SessionEvent): boolean {
  return type === 'tool.finished' || type === 'subagent.finished';
}

/** What a start and its end have in common. */
function pairOf({ type, data }: SessionEvent): string | null {
  switch (type) {
    case 'tool.started':
    case 'tool.finished':
      return data.partId;
    case 'subagent.started':
    case 'subagent.finished':
      return data.subagentId;
    default:
      return null;
  }
}
