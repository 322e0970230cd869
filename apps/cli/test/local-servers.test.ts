import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Octokit } from '@octokit/rest';
import { describe, expect, it } from 'vitest';
import { freePort } from '../../../scripts/testing/free-port.ts';
import { preparedFolder, processesWith, readHealth, ship, until, untilReady } from './ship.ts';

async function start(env: NodeJS.ProcessEnv = {}) {
  const folder = await preparedFolder();
  const port = await freePort();
  const running = ship(['up', '--no-open', '--port', String(port), '--data', folder], env);
  await untilReady(running);
  const workerd = await until('workerd', () => processesWith(`objects=${folder}`).at(0));
  // workerd's environment, which only this user can read.
  const told = Object.fromEntries(
    readFileSync(`/proc/${workerd}/environ`, 'utf8')
      .split('\0')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  ) as Record<string, string>;
  return { running, port, folder, told };
}

describe('servers inside ship up', { timeout: 90_000 }, () => {
  it('[LS1] forge, demo model and sandboxes answer at the control plane’s addresses, only to its keys', async () => {
    const { folder, told, running } = await start({ OPENAI_API_KEY: 'sk-planted-31', HOME: '/x' });
    const baseUrl = told.SHIP_FORGE_API_URL ?? '';
    const octokit = new Octokit({ baseUrl, auth: told.SHIP_FORGE_TOKEN });
    expect((await octokit.users.getAuthenticated()).data.login).toBe('local');
    const stranger = new Octokit({ baseUrl, auth: 'wrong' });
    await expect(stranger.users.getAuthenticated()).rejects.toMatchObject({ status: 401 });

    const models = await fetch(`${told.SHIP_DEMO_MODEL_URL}/models`);
    expect(models.status).toBe(200);

    const ask = (key: string | undefined) =>
      fetch(`${told.SHIP_E2B_API_URL}/sandboxes`, { headers: { 'x-api-key': key ?? '' } });
    expect((await ask(told.SHIP_E2B_API_KEY)).status).toBe(200);
    expect((await ask('wrong-key')).status).toBe(401);

    for (const name of ['forge-token', 'gateway-secret', 'sandbox-api-key']) {
      const file = join(folder, 'secrets', name);
      expect(statSync(file).mode & 0o077).toBe(0);
      expect(processesWith(readFileSync(file, 'utf8'))).toEqual([]);
    }
    // The user's key is passed on; nothing else of the user's environment is.
    expect(told.SHIP_OPENAI_API_KEY).toBe('sk-planted-31');
    expect(told.HOME).toBeUndefined();
    expect(processesWith('sk-planted-31')).toEqual([]);

    running.process.kill('SIGTERM');
    expect(await running.exited).toBe(0);
    await expect(fetch(`${baseUrl}/user`)).rejects.toThrow();
  });

  it('[LS3] without git the forge is down with a reason; everything else works', async () => {
    const { port, folder } = await start({ PATH: '/nonexistent' });
    const { parts, forge } = await until('health with the forge in it', async () => {
      const all = (await readHealth(port, folder))?.parts ?? [];
      const found = all.find(({ name }) => name === 'forge');
      return found === undefined ? undefined : { parts: all, forge: found };
    });
    expect(forge.state).toBe('down');
    expect(forge.detail).toMatch(/git/);
    expect(parts.find(({ name }) => name === 'demo-model')?.state).toBe('up');
    expect(parts.find(({ name }) => name === 'control-plane')?.state).toBe('up');
  });
});
