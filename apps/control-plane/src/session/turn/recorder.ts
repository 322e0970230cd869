import type { LiveEvent } from '@ship/protocol';
import type { AgentSignal } from '../../agent/port.ts';
import { type Draft, settle } from '../ingest/draft.ts';
import type { Ingest } from '../ingest/ingest.ts';
import type { TurnDeps } from './ports.ts';

/** Signals in, events out: stores what is durable in one go and shows the rest. */
export class Recorder {
  readonly #deps: Pick<TurnDeps, 'agent' | 'record' | 'live' | 'artifacts'>;
  readonly ingest: Ingest;

  constructor(deps: Pick<TurnDeps, 'agent' | 'record' | 'live' | 'artifacts'>, ingest: Ingest) {
    this.#deps = deps;
    this.ingest = ingest;
  }

  /** Whether the agent finished a step with these. */
  async take(signals: readonly AgentSignal[]): Promise<boolean> {
    const drafts: Draft[] = [];
    const live: LiveEvent[] = [];
    for (const signal of signals) {
      const ingested = this.ingest.take(signal);
      drafts.push(...ingested.drafts);
      live.push(...ingested.live);
    }
    for (const event of merged(live)) this.#deps.live(event);
    await this.store(drafts);
    return drafts.some(({ event }) => event.type === 'step.finished');
  }

  async store(drafts: readonly Draft[]): Promise<void> {
    if (drafts.length === 0) return;
    const { agent, artifacts, record } = this.#deps;
    const events = [];
    for (const item of drafts) {
      events.push(await settle(item, (path) => agent.readOutput(path), artifacts));
    }
    await record(events);
  }
}

/** A burst of words of one part is one message to each watcher, not one for each word. */
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
