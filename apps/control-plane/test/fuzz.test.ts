import { ErrorBody } from '@ship/protocol';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fuzzedFrame, sendFrames } from './fuzz/frames.ts';
import { type Route, fuzzedRequest, send } from './fuzz/requests.ts';
import { LOCAL_TOKEN, openControlPlane } from './harness.ts';

/** `npm run fuzz` runs more cases. */
const RUNS = Number(process.env.SHIP_FUZZ_CASES ?? 1_850);
/** Each run sends several frames. */
const FRAME_RUNS = Math.ceil(RUNS / 12);
const SEED = Number(process.env.SHIP_FUZZ_SEED ?? 20_261_116);
const CONCURRENCY = 8;

describe('malformed input', { timeout: 300_000 }, () => {
  let plane: Awaited<ReturnType<typeof openControlPlane>>;
  let ids: Record<string, string>;

  beforeAll(async () => {
    plane = await openControlPlane();
    const { sessionId } = await plane.api.create({ prompt: 'wait' });
    const { promptId } = await plane.api.prompt(sessionId, 'and wait');
    ids = { sessionId, promptId };
  }, 60_000);
  afterAll(() => plane.close());

  const reads = ['/board', '/repositories', '/settings', '/secrets', '/tokens', '/sessions'];

  async function everything(): Promise<unknown> {
    const { sessionId } = ids;
    const paths = [...reads, `/sessions/${sessionId}`, `/sessions/${sessionId}/history`];
    return Promise.all(paths.map((path) => plane.api.ask('GET', path)));
  }

  it('[AP5] a real process never answers malformed requests with a 5xx or internals, and changes no state', async () => {
    const { paths } = (await plane.api.ask('GET', '/openapi.json')) as {
      paths: Record<string, Record<string, unknown>>;
    };
    const routes: Route[] = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => ({
        method: method.toUpperCase(),
        path: path.replace(/^\/api/, ''),
      })),
    );
    expect(routes.length).toBeGreaterThan(30);
    const before = await everything();
    const statuses = new Map<number, number>();
    const requests = fc.sample(fuzzedRequest(routes, ids), { numRuns: RUNS, seed: SEED });
    await inParallel(requests, async (fuzzed) => {
      const { status, text } = await send(plane.plane.url, LOCAL_TOKEN, fuzzed);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      const summary = `${fuzzed.method} ${fuzzed.path} ${fuzzed.body.slice(0, 300)} → ${status} ${text.slice(0, 300)}`;
      // 501 is a typed error: this process has no services configured.
      if (status >= 500 && status !== 501) throw new Error(summary);
      if (/\n\s+at |SQLITE|ZodError/.test(text)) throw new Error(summary);
      if (status >= 400 && fuzzed.path.startsWith('/api/'))
        expect(ErrorBody.parse(JSON.parse(text)).error.remedy).not.toBe('');
    });
    expect(await everything()).toEqual(before);
    expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 400, 404]));
  });

  it('[RT4] no message and no broken frame on a socket changes state or disturbs other clients', async () => {
    const before = await everything();
    const runs = fc.sample(fc.array(fuzzedFrame, { minLength: 1, maxLength: 6 }), {
      numRuns: FRAME_RUNS,
      seed: SEED,
    });
    const path = `/api/sessions/${ids.sessionId}/socket?after=0`;
    const answers = new Set<string>();
    await inParallel(runs, async (frames) => {
      const answer = await sendFrames(plane.plane.port, LOCAL_TOKEN, path, frames);
      answers.add(answer.slice(0, 12));
      expect(answer).not.toMatch(/\n\s+at |SQLITE|ZodError/);
    });
    expect([...answers]).toEqual(['HTTP/1.1 101']);
    expect(await everything()).toEqual(before);
  });

  // workerd itself logs broken frames; Ship's code must not.
  it('logs no unexpected error', () => {
    expect(plane.plane.output).not.toMatch(/"event":"unexpected"|^\s+at /m);
  });
});

async function inParallel<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = items.values();
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      for (const item of left) await work(item);
    }),
  );
}
