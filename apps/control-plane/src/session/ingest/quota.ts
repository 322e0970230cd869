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
  recordedWeight,
  sessionEvent,
} from '@ship/core';
import type { Recorded, SessionEvent, TurnId } from '@ship/protocol';
import { type Draft, draft } from './draft.ts';

/** Decides for one attempt what of the agent's work is recorded, and counts what is dropped. */
export class RecordingQuota {
  readonly #turnId: TurnId;
  readonly #limits: RecordingLimits;
  #soFar: RecordedSoFar;
  #cut: Recorded = NOTHING_RECORDED;
  #limit: RecordingLimit | null = null;
  #isReported = false;
  /** Calls and sub-agents whose start was dropped: their end is dropped too. */
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

  /** The remainder of a draft; null when it is dropped. */
  admit(item: Draft): Draft | null {
    const { event } = item;
    const id = pairOf(event);
    if (id !== null && isEnd(event) && this.#withoutStart.delete(id)) return this.#drop(event);
    const limit = eventLimit(this.#soFar, this.#limits);
    if (limit === null) return item;
    this.#limit ??= limit;
    if (this.isFlooded && !isEnd(event)) return this.#drop(event);
    if (!isExpendable(event)) return item;
    // A start in the log needs its end there too, without the output.
    if (isEnd(event)) return draft(this.#stripped(event));
    if (id !== null) this.#withoutStart.add(id);
    return this.#drop(event);
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

  /** Whether streaming text is still shown. */
  admitsLive(chars: number): boolean {
    if (this.#limit?.limit !== 'events' && this.#limit?.limit !== 'bytes') return true;
    this.#cut = addRecorded(this.#cut, { ...NOTHING_RECORDED, bytes: chars });
    return false;
  }

  /** Call with every stored event, before the next draft is admitted. */
  note(event: SessionEvent): void {
    const weight = recordedWeight(event);
    if (weight === null) return;
    const { turn, session } = this.#soFar;
    this.#soFar = { turn: addRecorded(turn, weight), session: addRecorded(session, weight) };
  }

  /** The event to record about the limit, if any: once when a limit is reached, and once at the end. */
  limitEvents(isFinal: boolean): Draft[] {
    if (this.#limit === null || (this.#isReported && !isFinal)) return [];
    this.#isReported = true;
    const data = { turnId: this.#turnId, ...this.#limit, isFinal, cut: this.#cut };
    return [draft(sessionEvent('recording.limited', data))];
  }

  #drop(event: SessionEvent): null {
    this.#cut = addRecorded(this.#cut, recordedWeight(event) ?? NOTHING_RECORDED);
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

/** The id that a start and its end share. */
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
