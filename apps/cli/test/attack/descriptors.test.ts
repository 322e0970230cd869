/** More connections than the control plane has descriptors for: each takes two. */
import { TokenCreated, TokenList } from '@ship/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { flood } from '../../../../scripts/testing/flood.ts';
import { freePort } from '../../../../scripts/testing/free-port.ts';
import { preparedDataFolder } from '../../../../scripts/testing/prepared-data.ts';
import { removeFolder } from '../../../../scripts/testing/remove-folder.ts';
import {
  type Running,
  end,
  launchShip,
  localToken,
  until,
  untilHealthy,
  untilReady,
} from '../ship.ts';

/** Enough for normal use, and exhausted by few connections. */
const MAX_OPEN_FILES = 512;
const CONNECTIONS = 600;
const ROUNDS = 2;

describe('attack: descriptors', { timeout: 120_000 }, () => {
  let folder: string;
  let port: number;
  let running: Running;

  beforeAll(async () => {
    folder = await preparedDataFolder();
    port = await freePort();
    const args = ['up', '--no-open', '--port', String(port), '--data', folder];
    running = launchShip(args, {}, MAX_OPEN_FILES);
    await untilReady(running);
  }, 60_000);
  afterAll(async () => {
    await end(running);
    removeFolder(folder);
  }, 60_000);

  const call = (method: string, body?: unknown) =>
    fetch(`http://127.0.0.1:${port}/api/tokens`, {
      method,
      headers: {
        authorization: `Bearer ${localToken(folder)}`,
        'content-type': 'application/json',
        connection: 'close',
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(5_000),
    });
  const restarts = async () => {
    const { parts } = await untilHealthy(port, folder);
    return parts.find(({ name }) => name === 'control-plane')?.restarts ?? 0;
  };

  it('[AT-15U] [UP14] attack: ends the control plane for good, or loses what it has acknowledged', async () => {
    const acknowledged: string[] = [];
    const over = new AbortController();
    const writing = (async () => {
      for (let made = 0; !over.signal.aborted; made += 1) {
        const name = `written ${made}`;
        const answer = await call('POST', { name }).catch(() => undefined);
        const text = await answer?.text().catch(() => undefined);
        if (answer?.ok !== true || text === undefined) continue;
        acknowledged.push(TokenCreated.parse(JSON.parse(text)).token.name);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    })();
    const attacks = [];
    for (let round = 1; round <= ROUNDS; round += 1) {
      const before = acknowledged.length;
      attacks.push(await flood(port, CONNECTIONS));
      // Recovered although the attacker still runs: its connections ended with the process.
      await until('writes that succeed again', () => acknowledged.length > before || undefined);
      expect(await restarts()).toBeGreaterThanOrEqual(round);
    }
    over.abort();
    await writing;
    for (const attack of attacks) await attack.end();
    await untilHealthy(port, folder);
    const { tokens } = TokenList.parse(await (await call('GET')).json());
    const kept = new Set(tokens.map(({ name }) => name));
    expect(acknowledged.filter((name) => !kept.has(name))).toEqual([]);
  });
});
