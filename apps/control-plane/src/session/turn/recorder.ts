import type { LiveEvent, SessionEvent } from '@ship/protocol';
import type { AgentSignal } from '../../agent/port.ts';
import { ThreadShare } from '../../platform/thread-share.ts';
import { batchesOf, weightOf } from '../ingest/batches.ts';
import { type Draft, settle } from '../ingest/draft.ts';
import type { Ingest } from '../ingest/ingest.ts';
import type { RecordingQuota } from '../ingest/quota.ts';
import type { TurnDeps } from './ports.ts';

/** Estimated processor time of recording. A signal that yields nothing still costs a little. */
const EVENT_MS = 0.4;
const SIGNAL_MS = 0.03;
const STORED_MS_PER_MB = 40;
const SEEN_MS_PER_MB = 5;

type Deps = Pick<TurnDeps, 'agent' | 'record' | 'live' | 'artifacts'>;

/** Turns signals into events: stores durable ones in one write and broadcasts the live ones. */
export class Recorder {
  readonly #deps: Deps;
  readonly #quota: RecordingQuota;
  readonly #share = new ThreadShare();
  readonly ingest: Ingest;

  constructor(deps: Deps, ingest: Ingest, quota: RecordingQuota) {
    this.#deps = deps;
    this.ingest = ingest;
    this.#quota = quota;
  }

  /** The limit that was exceeded by far: the turn has to be stopped. */
  get flood(): { limit: RecordingQuota['limit'] } | undefined {
    const isFlood = this.#quota.isFlooded || this.ingest.isOverfull;
    return isFlood ? { limit: this.#quota.limit } : undefined;
  }

  /**
   * Whether the agent finished a step with these. Works in bounded batches with a pause in between, and waits when it exceeds
   * its share: one session's burst must not delay the requests of all others.
   */
  async take(signals: readonly AgentSignal[]): Promise<boolean> {
    let hasStep = false;
    for (const batch of batchesOf(signals)) {
      const { events, live } = await this.#takeBatch(batch);
      hasStep ||= events.some(({ type }) => type === 'step.finished');
      await this.#share.spend(costMs(batch, events, live));
    }
    return hasStep;
  }

  async #takeBatch(signals: readonly AgentSignal[]) {
    const drafts: Draft[] = [];
    const live: LiveEvent[] = [];
    for (const signal of signals) {
      const ingested = this.ingest.take(signal);
      drafts.push(...ingested.drafts);
      live.push(...ingested.live);
    }
    const shown = merged(live).filter(({ data }) => this.#quota.admitsLive(data.delta.length));
    for (const event of shown) this.#deps.live(event);
    return { events: await this.store(drafts), live: shown };
  }

  async store(drafts: readonly Draft[]): Promise<SessionEvent[]> {
    const events: SessionEvent[] = [];
    for (const item of drafts) {
      const admitted = this.#quota.admit(item);
      if (admitted === null) continue;
      const event = await this.#settle(admitted);
      this.#quota.note(event);
      events.push(event);
    }
    return this.#record([...events, ...this.#quota.limitEvents(false).map(({ event }) => event)]);
  }

  /** Records the final count of what was dropped in this attempt. */
  async close(): Promise<void> {
    await this.#record(this.#quota.limitEvents(true).map(({ event }) => event));
  }

  #settle(item: Draft): Promise<SessionEvent> {
    const { agent, artifacts } = this.#deps;
    // An output that could not be stored need not be fetched.
    if (!this.#quota.hasArtifactRoom && item.overflow !== null) item.overflow.path = null;
    return settle(
      item,
      (path) => agent.readOutput(path),
      artifacts,
      (bytes) => this.#quota.admitsArtifact(bytes),
    );
  }

  async #record(events: SessionEvent[]): Promise<SessionEvent[]> {
    if (events.length > 0) await this.#deps.record(events);
    return events;
  }
}

function costMs(
  signals: readonly AgentSignal[],
  events: readonly SessionEvent[],
  live: readonly LiveEvent[],
): number {
  const seen = signals.reduce((sum, signal) => sum + weightOf(signal), 0);
  const shown = live.reduce((sum, { data }) => sum + data.delta.length, 0);
  const stored = events.length > 0 ? seen : shown;
  return (
    signals.length * SIGNAL_MS +
    events.length * EVENT_MS +
    (seen * SEEN_MS_PER_MB + stored * STORED_MS_PER_MB) / 1_000_000
  );
}

/** Merges consecutive deltas of one part: watchers get one message instead of one per word. */
function merged(events: readonly LiveEvent[]): LiveEvent[] {
  const result: LiveEvent[] = [];
  for (const event of events) {
    const last = result.at(-1);
    if (last?.data.partId === event.data.partId && last.data.field === event.data.field) {
      const delta = last.data.delta + event.data.delta;
      result[result.length - 1] = { ...event, data: { ...event.data, delta } };
    } else {
      result.push(event);
    }
  }
  return result;
}
