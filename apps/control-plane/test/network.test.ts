import { evolveAll } from '@ship/core';
import type { DurableEnvelope } from '@ship/protocol';
import { HttpClient, SessionWatch } from '@ship/protocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seededRandom } from '../../../scripts/testing/random.ts';
import { LOCAL_TOKEN, openControlPlane } from './harness.ts';
import { until } from './harness/api.ts';
import { FlakyProxy } from './harness/flaky-proxy.ts';
import { Follower } from './harness/follower.ts';

describe('two clients, one of them on an unreliable connection', { timeout: 120_000 }, () => {
  let plane: Awaited<ReturnType<typeof openControlPlane>>;
  let proxy: FlakyProxy;

  beforeAll(async () => {
    plane = await openControlPlane();
    proxy = await FlakyProxy.open(plane.plane.url, seededRandom(11));
  }, 60_000);
  afterAll(async () => {
    await proxy.close();
    await plane.close();
  });

  it.each(['socket', 'stream'] as const)(
    '[RT3] both reach the same state, by %s',
    async (transport) => {
      proxy.isFaulty = true;
      const cutsBefore = proxy.cuts;
      const { sessionId } = await plane.api.create();
      const where = { token: LOCAL_TOKEN, sessionId };
      const good = new Follower({ ...where, url: plane.plane.url }, transport);
      const flaky = new Follower({ ...where, url: proxy.url }, transport);
      // Until enough connections are cut, on a machine of any speed.
      for (let i = 0; proxy.cuts < cutsBefore + 8 || i < 60; i++)
        await plane.api.ask('PATCH', `/sessions/${sessionId}`, {
          requestId: `rename-${transport}-${i}`,
          title: `title ${i}`,
        });
      proxy.isFaulty = false;
      const { seq } = (await plane.api.view(sessionId)).state;
      for (const client of [good, flaky])
        await until(
          () => client.seq,
          (seen) => seen === seq,
        );
      const log = await plane.api.log(sessionId);
      const { state } = await plane.api.view(sessionId);
      expect(state).toEqual(evolveAll(undefined, log));
      for (const client of [good, flaky]) {
        await client.close();
        expect(client.faults).toEqual([]);
        expect(client.events).toEqual(log);
        expect(client.state).toEqual(state);
      }
      expect(good.connections).toBe(1);
      expect(flaky.connections).toBeGreaterThan(4);
    },
  );

  it.each(['socket', 'stream'] as const)(
    '[RT3] the client library reaches it too, by %s',
    async (transport) => {
      proxy.isFaulty = true;
      const cutsBefore = proxy.cuts;
      const { sessionId } = await plane.api.create();
      const http = new HttpClient({ baseUrl: proxy.url, token: LOCAL_TOKEN });
      const seen: DurableEnvelope[] = [];
      const statuses = new Set<string>();
      const watch = new SessionWatch({
        http,
        sessionId,
        onEvents: (events) => void seen.push(...events),
        onStatus: ({ status }) => {
          statuses.add(status);
          // The test cannot wait for the backoff.
          if (status === 'waiting') setTimeout(() => watch.retryNow(), 20);
        },
        ...(transport === 'stream' && { openSocket: null }),
      }).start();
      for (let i = 0; proxy.cuts < cutsBefore + 4 || i < 40; i++)
        await plane.api.ask('PATCH', `/sessions/${sessionId}`, {
          requestId: `rename-by-library-${transport}-${i}`,
          title: `title ${i}`,
        });
      proxy.isFaulty = false;
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
