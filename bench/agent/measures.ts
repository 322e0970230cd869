import { DraftView, Trace, createId } from '@ship/protocol';
import type { WholeWorld } from '../../apps/control-plane/test/support/whole-world.ts';

const TIMEOUT_MS = 180_000;
const HOUR_MS = 3_600_000;

/** Sessions in a complete installation, and the time of their first model request. */
export class AgentBench {
  readonly #world: WholeWorld;
  readonly #repository: string;
  stages: Record<string, number> = {};

  constructor(world: WholeWorld, repository: string) {
    this.#world = world;
    this.#repository = repository;
  }

  /** Counts from sending the prompt; ends the session afterwards, so that the next one has the machine to itself. */
  async firstRequest(body: Record<string, unknown>): Promise<number> {
    const { model } = this.#world.parts;
    const before = model.served().entries.length;
    const startMs = Date.now();
    const sessionId = await this.#create(body);
    const first = await until(() => model.served().entries[before]);
    await this.#world.rest(sessionId);
    const answer = await this.#world.call('GET', `/api/sessions/${sessionId}/trace`);
    const { spans } = Trace.parse(await answer.json());
    this.stages = Object.fromEntries(spans.map(({ name, durationMs }) => [name, durationMs]));
    await this.#end(sessionId);
    return first.atMs - startMs;
  }

  async warmFirstRequest(): Promise<number> {
    const draftId = createId('drf');
    await until(async () => {
      const answer = await this.#world.call('POST', '/api/drafts', { draftId });
      return DraftView.parse(await answer.json()).status === 'ready' ? true : undefined;
    });
    return this.firstRequest({ draftId });
  }

  /** A session that is paused to this depth and then prompted again. */
  async firstRequestAfter(rest: 'frozen' | 'asleep'): Promise<number> {
    const { model } = this.#world.parts;
    const sleepAfterMs = rest === 'asleep' ? 1_000 : HOUR_MS;
    await this.#idle({ pauseAfterMs: 1_000, sleepAfterMs, destroyAfterMs: HOUR_MS });
    const sessionId = await this.#create({});
    await this.#world.rest(sessionId);
    await until(async () => {
      const { status } = (await this.#world.state(sessionId)).sandbox;
      return status === rest ? true : undefined;
    });
    await this.#idle({ pauseAfterMs: HOUR_MS, sleepAfterMs: HOUR_MS, destroyAfterMs: HOUR_MS });
    const before = model.served().entries.length;
    const startMs = Date.now();
    const requestId = `again-${crypto.randomUUID()}`;
    const path = `/api/sessions/${sessionId}/prompts`;
    await this.#world.call('POST', path, { requestId, text: 'Say it again' });
    const first = await until(() => model.served().entries[before]);
    await this.#end(sessionId);
    return first.atMs - startMs;
  }

  async atOnce(count: number): Promise<{ count: number; ms: number }> {
    const startMs = Date.now();
    const ids = await Promise.all(Array.from({ length: count }, () => this.#create({})));
    // A session that does not finish is not counted; the figures of the others are still reported.
    const states = await Promise.allSettled(ids.map((sessionId) => this.#world.rest(sessionId)));
    const done = states.filter(
      (state) => state.status === 'fulfilled' && state.value.activity.status === 'idle',
    );
    return { count: done.length, ms: Date.now() - startMs };
  }

  async #idle(idle: Record<string, number>): Promise<void> {
    await this.#world.call('PATCH', '/api/settings', { idle });
  }

  async #end(sessionId: string): Promise<void> {
    await this.#world.call('DELETE', `/api/sessions/${sessionId}`);
  }

  #create(body: Record<string, unknown>): Promise<string> {
    return this.#world.newSession(this.#repository, 'Say hello', body);
  }
}

async function until<Value>(check: () => Value | undefined | Promise<Value | undefined>) {
  for (const end = Date.now() + TIMEOUT_MS; Date.now() < end;) {
    const seen = await check();
    if (seen !== undefined) return seen;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error('timed out');
}
