/** Attempt 18: one sandbox's token used on another. */
import { request } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openAttackHarness, type AttackHarness } from './attack-harness.ts';

let harness: AttackHarness;

beforeAll(async () => {
  harness = await openAttackHarness();
  await harness.start('alpha', { accessToken: 'token-alpha' });
  await harness.start('beta', { accessToken: 'token-beta' });
}, 60_000);
afterAll(async () => await harness.end(), 60_000);

async function status(id: string, path: string, headers: Record<string, string>): Promise<number> {
  const socket = await harness.backend.open(id);
  return await new Promise((resolve, reject) => {
    const call = request(
      {
        createConnection: () => socket,
        method: 'POST',
        path,
        headers: { connection: 'close', ...headers },
      },
      (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      },
    );
    call.once('error', reject);
    call.end('{}');
  });
}

const json = { 'content-type': 'application/json' };
const paths = [
  '/process.Process/List',
  '/filesystem.Filesystem/Stat',
  '/init',
  '/files?path=x',
  '/metrics',
  '/envs',
];

it.each(paths)('%s refuses the other sandbox’s token, no token, and near misses', async (path) => {
  for (const token of [
    'token-alpha',
    '',
    'token-bet',
    'token-beta-',
    'TOKEN-BETA',
    'token-betaa',
  ]) {
    expect(
      await status('beta', path, { ...json, ...(token === '' ? {} : { 'x-access-token': token }) }),
    ).toBe(401);
  }
});

it('the right token works', async () => {
  expect(
    await status('beta', '/process.Process/List', { ...json, 'x-access-token': 'token-beta' }),
  ).toBe(200);
});

it('[AT-18] attack: runs a command in a sandbox with the token of another', async () => {
  await expect(harness.shell('beta', 'id', 'user', 'token-alpha')).rejects.toThrow(/401/);
  expect((await harness.shell('beta', 'id -un', 'user', 'token-beta')).output).toContain('user');
});
