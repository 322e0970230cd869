import { DraftView, Trace, createId } from '@ship/protocol';
import type { WholeWorld } from '../../apps/control-plane/test/support/whole-world.ts';

const PATIENCE_MS = 180_000;
const HOUR_MS = 3_600_000;

/** Sessions in a whole world, and when the model first heard of each. */
export class Bench {
  readonly #world: WholeWorld;
  readonly #repository: string;
  stages: Record<string, number> = {};

  constructor(world: WholeWorld, repository: string) {
    this.#world = world;
    this.#repository = repository;
  }

  /** Counted from the moment when the prompt is sent; the session is ended afterwards, so that the next has the machine. */
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

  /** One session that is put to rest so deeply, and then prompted again. */
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
    // One that does not finish is counted as that; the figures of the others are worth having.
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

async function until<Value>(look: () => Value | undefined | Promise<Value | undefined>) {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end;) {
    const seen = await look();
    if (seen !== undefined) return seen;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error('waited in vain');
}
