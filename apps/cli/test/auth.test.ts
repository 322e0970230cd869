import { readFileSync, statSync } from 'node:fs';
import { removeFolder } from '../../../scripts/testing/remove-folder.ts';
import { join } from 'node:path';
import { Settings } from '@ship/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../../scripts/testing/free-port.ts';
import { preparedDataFolder } from '../../../scripts/testing/prepared-data.ts';
import { newSignInCookie } from '../../../scripts/testing/sign-in.ts';
import { end, launchShip, processesWith, until, untilReady } from './ship.ts';

async function start(folder: string) {
  const port = await freePort();
  const running = launchShip(['up', '--no-open', '--port', String(port), '--data', folder]);
  await untilReady(running);
  const token = readFileSync(join(folder, 'secrets', 'local-token'), 'utf8');
  const origin = `http://ship.localhost:${port}`;
  const ask = (path: string, headers: Record<string, string> = {}, init: RequestInit = {}) =>
    fetch(`http://127.0.0.1:${port}${path}`, { ...init, headers });
  return { running, port, token, origin, ask };
}

/** All tests share one Ship; the last test restarts it. */
describe('auth of ship up', { timeout: 60_000 }, () => {
  let folder: string;
  let current: Awaited<ReturnType<typeof start>>;

  beforeAll(async () => {
    folder = await preparedDataFolder();
    current = await start(folder);
  }, 60_000);
  afterAll(async () => {
    await end(current.running);
    removeFolder(folder);
  }, 60_000);

  it('[AU10] token and key are in the data folder, readable by its owner only, and on no command line', async () => {
    const { token, ask } = current;
    for (const name of ['local-token', 'secrets-key']) {
      const file = join(folder, 'secrets', name);
      expect(statSync(file).mode & 0o077).toBe(0);
      expect(readFileSync(file, 'utf8')).toMatch(/^[0-9a-f]{64}$/);
      expect(processesWith(readFileSync(file, 'utf8'))).toEqual([]);
    }
    expect((await ask('/api/settings')).status).toBe(401);
    expect((await ask('/api/settings', { authorization: `Bearer ${token}0` })).status).toBe(401);
    expect((await ask('/api/settings', { authorization: `Bearer ${token}` })).status).toBe(200);
  });

  it('[AU5] a link gives a cookie that opens the API and the live list only for Ship’s web app', async () => {
    const { ask, port, token } = current;
    const { name, value } = await newSignInCookie(`http://127.0.0.1:${port}`, token);
    expect(name).toBe(`ship_${port}`);
    const cookie = `${name}=${value}`;
    expect((await ask('/api/board', { cookie })).status).toBe(200);
    expect((await ask('/api/board', { cookie, 'sec-fetch-site': 'same-site' })).status).toBe(403);
    const post = { method: 'DELETE' };
    expect((await ask('/api/secrets/NONE', { cookie }, post)).status).toBe(403);
    const origin = `http://127.0.0.1:${port}`;
    expect((await ask('/api/secrets/NONE', { cookie, origin }, post)).status).toBe(404);
  });

  it('[LV3] a program’s socket gets a change by another client', async () => {
    const { port, token, ask } = current;
    const authorization = `Bearer ${token}`;
    // Node's WebSocket accepts headers; the type is the browser's, which does not.
    const options = { headers: { authorization } } as unknown as string[];
    const socket = new WebSocket(`ws://127.0.0.1:${port}/api/live?after=0`, options);
    const told: string[] = [];
    socket.addEventListener('message', ({ data }) => void told.push(String(data)));
    await until('hello', () => (told.length > 0 ? true : undefined));
    await ask(
      '/api/settings',
      { authorization, 'content-type': 'application/json' },
      { method: 'PATCH', body: '{"defaultModel":"demo/a"}' },
    );
    await until('the change', () => told.find((text) => text.includes('settings.changed')));
    socket.close();
  });

  it('[AU10] they are the same after a restart, and stored data is still readable', async () => {
    const authorization = `Bearer ${current.token}`;
    const { value } = await newSignInCookie(`http://127.0.0.1:${current.port}`, current.token);
    const send = (method: string, path: string, body: unknown) =>
      current.ask(
        path,
        { authorization, 'content-type': 'application/json' },
        { method, body: JSON.stringify(body) },
      );
    expect((await send('PUT', '/api/secrets/KEY', { value: 'planted-value-77' })).status).toBe(200);
    expect((await send('PATCH', '/api/settings', { defaultModel: 'demo/kept' })).status).toBe(200);
    current.running.process.kill('SIGTERM');
    await current.running.exited;
    expect(current.running.output()).not.toContain(current.token);

    const { token } = current;
    current = await start(folder);
    expect(current.token).toBe(token);
    const settings = Settings.parse(
      await (await current.ask('/api/settings', { authorization })).json(),
    );
    expect(settings.defaultModel).toBe('demo/kept');
    // A browser stays signed in, here on another port.
    const cookie = `ship_${current.port}=${value}`;
    expect((await current.ask('/api/settings', { cookie })).status).toBe(200);
    expect(await (await current.ask('/api/secrets', { authorization })).text()).toContain('"KEY"');
  });
});
