import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { evolveAll } from '@ship/core';
import type { DurableEnvelope, SessionId } from '@ship/protocol';
import { ShipClient, type WatchStatus } from '@ship/protocol/client';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../../scripts/testing/free-port.ts';
import { preparedDataFolder } from '../../../scripts/testing/prepared-data.ts';
import { flakyNetwork } from './flaky-network.ts';
import { type Running, launchShip, processesWith, until, untilReady } from './ship.ts';
import { removeFolder } from '../../../scripts/testing/remove-folder.ts';

const clientAt = (port: number, token: string) =>
  new ShipClient({ baseUrl: `http://127.0.0.1:${port}`, token });

function follow(client: ShipClient, sessionId: SessionId, withSockets = true) {
  const events: DurableEnvelope[] = [];
  const statuses: WatchStatus[] = [];
  const watch = client
    .watch(sessionId, {
      onEvents: (fresh) => void events.push(...fresh),
      onStatus: (status) => void statuses.push(status),
      ...(withSockets ? {} : { openSocket: null }),
    })
    .start();
  onTestFinished(() => watch.close());
  return { events, statuses, watch };
}

describe('a session over a bad network', { timeout: 120_000 }, () => {
  let folder: string;
  let port: number;
  let token: string;
  let client: ShipClient;
  let running: Running;

  beforeAll(async () => {
    folder = await preparedDataFolder();
    port = await freePort();
    running = launchShip(['up', '--no-open', '--port', String(port), '--data', folder]);
    await untilReady(running);
    token = readFileSync(join(folder, 'secrets', 'local-token'), 'utf8');
    client = clientAt(port, token);
    // A prewarmed agent would use seconds of processor time after each session.
    await client.changeSettings({ warm: { size: 0 } });
  }, 90_000);
  afterAll(async () => {
    running.process.kill('SIGTERM');
    await running.exited;
    removeFolder(folder);
  }, 60_000);

  it('[CW7] two clients, by socket and by stream, end with the same state despite cut connections and a killed server', async () => {
    const seed = Number(process.env.SHIP_TEST_SEED ?? 7);
    const network = await flakyNetwork(port, seed);
    onTestFinished(() => network.close());
    const repository = join(folder, 'nothing-here');
    const { sessionId } = await client.createSession({
      repository,
      prompt: null,
      model: 'demo/demo',
    });

    const overNetwork = clientAt(network.port, token);
    const socket = follow(overNetwork, sessionId);
    const stream = follow(overNetwork, sessionId, false);
    const near = follow(client, sessionId);
    for (let i = 1; i <= 120; i++) {
      await client.renameSession(sessionId, `title ${i}`);
      if (i === 60) {
        const workerd = processesWith(`objects=${folder}`).at(0);
        if (workerd !== undefined) process.kill(workerd, 'SIGKILL');
      }
    }
    await until('some cut connections', () => (network.cuts() > 3 ? true : undefined));
    network.heal();
    const { seq } = await client.renameSession(sessionId, 'the end');
    for (const { watch } of [socket, stream, near])
      await until('the last event', () => (watch.seq >= seq ? true : undefined));

    for (const { events } of [socket, stream, near]) {
      const upToEnd = events.filter((event) => event.seq <= seq);
      expect(upToEnd.map((event) => event.seq)).toEqual(upToEnd.map((_, i) => i + 1));
      expect(evolveAll(undefined, upToEnd)?.title).toBe('the end');
      expect(upToEnd).toEqual(near.events.filter((event) => event.seq <= seq));
    }
    // Every acknowledged title arrived, in order.
    const titles = near.events
      .filter(({ type }) => type === 'session.renamed')
      .map(({ data }) => (data as { title: string }).title);
    expect(titles).toEqual([...Array.from({ length: 120 }, (_, i) => `title ${i + 1}`), 'the end']);
  });

  it('[CW5] a missing session and an invalid token end the watch with the reason', async () => {
    const absent = `ses_${'0'.repeat(26)}` as SessionId;
    const gone = follow(client, absent);
    await until('the end', () => (gone.statuses.at(-1)?.status === 'ended' ? true : undefined));
    expect(gone.statuses.at(-1)).toEqual({ status: 'ended', reason: 'session-gone' });
    const stranger = follow(clientAt(port, 'wrong'), absent);
    await until('the end', () => (stranger.statuses.at(-1)?.status === 'ended' ? true : undefined));
    expect(stranger.statuses.at(-1)).toEqual({ status: 'ended', reason: 'sign-in' });
    await expect(client.session(absent)).rejects.toMatchObject({ error: { code: 'not-found' } });
  });
});
