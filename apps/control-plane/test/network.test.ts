import { evolveAll } from '@ship/core';
import type { DurableEnvelope } from '@ship/protocol';
import { HttpClient, SessionWatch } from '@ship/protocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seededRandom } from '../../../scripts/testing/random.ts';
import { LOCAL_TOKEN, openPlaneAlone } from './plant.ts';
import { until } from './plant/api.ts';
import { BadLine } from './plant/bad-line.ts';
import { Follower } from './plant/follower.ts';

describe('two clients, one of them on a bad line', { timeout: 120_000 }, () => {
  let plane: Awaited<ReturnType<typeof openPlaneAlone>>;
  let line: BadLine;

  beforeAll(async () => {
    plane = await openPlaneAlone();
    line = await BadLine.open(plane.plane.url, seededRandom(11));
  }, 60_000);
  afterAll(async () => {
    await line.close();
    await plane.close();
  });

  it.each(['socket', 'stream'] as const)(
    '[RT3] both end with the same state, by %s',
    async (transport) => {
      line.isBad = true;
      const cutsBefore = line.cuts;
      const { sessionId } = await plane.api.create();
      const where = { token: LOCAL_TOKEN, sessionId };
      const good = new Follower({ ...where, url: plane.plane.url }, transport);
      const bad = new Follower({ ...where, url: line.url }, transport);
      // For as long as it takes to break often enough, however fast this machine is.
      for (let i = 0; line.cuts < cutsBefore + 8 || i < 60; i++)
        await plane.api.ask('PATCH', `/sessions/${sessionId}`, {
          requestId: `rename-${transport}-${i}`,
          title: `title ${i}`,
        });
      line.isBad = false;
      const { seq } = (await plane.api.view(sessionId)).state;
      for (const client of [good, bad])
        await until(
          () => client.seq,
          (seen) => seen === seq,
        );
      const log = await plane.api.log(sessionId);
      const { state } = await plane.api.view(sessionId);
      expect(state).toEqual(evolveAll(undefined, log));
      for (const client of [good, bad]) {
        await client.close();
        expect(client.faults).toEqual([]);
        expect(client.events).toEqual(log);
        expect(client.state).toEqual(state);
      }
      expect(good.connections).toBe(1);
      expect(bad.connections).toBeGreaterThan(4);
    },
  );

  it.each(['socket', 'stream'] as const)(
    '[RT3] so does the client library, by %s',
    async (transport) => {
      line.isBad = true;
      const cutsBefore = line.cuts;
      const { sessionId } = await plane.api.create();
      const http = new HttpClient({ baseUrl: line.url, token: LOCAL_TOKEN });
      const seen: DurableEnvelope[] = [];
      const statuses = new Set<string>();
      const watch = new SessionWatch({
        http,
        sessionId,
        onEvents: (events) => void seen.push(...events),
        onStatus: ({ status }) => {
          statuses.add(status);
          // A person would not press it so often; the test has no time for the backoff.
          if (status === 'waiting') setTimeout(() => watch.retryNow(), 20);
        },
        ...(transport === 'stream' && { openSocket: null }),
      }).start();
      for (let i = 0; line.cuts < cutsBefore + 4 || i < 40; i++)
        await plane.api.ask('PATCH', `/sessions/${sessionId}`, {
          requestId: `rename-by-library-${transport}-${i}`,
          title: `title ${i}`,
        });
      line.isBad = false;
      const { state } = await plane.api.view(sessionId);
      await until(
        () => watch.seq,
        (seq) => seq === state.seq,
      );
      watch.close();
      expect(seen).toEqual(await plane.api.log(sessionId));
      expect(evolveAll(undefined, seen)).toEqual(state);
      expect([...statuses]).toContain('waiting');
    },
  );
});
