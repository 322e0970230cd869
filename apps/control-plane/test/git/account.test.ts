import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startForge } from '@ship/forge';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectForge } from '../../src/git/index.ts';
import { repository } from './support/git.ts';

describe('the author of commits', () => {
  let folder: string;
  let location: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ship-account-'));
    location = await repository(join(folder, 'app'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const accountOf = async (identity: { name?: string; email?: string }) => {
    const tokens = [{ token: 'planted-token', login: 'local', ...identity }];
    const root = await mkdtemp(join(folder, 'forge-'));
    const forge = await startForge({ root, login: 'local', tokens });
    try {
      const { apiUrl: FORGE_API_URL, gitUrl: FORGE_GIT_URL } = forge;
      const bindings = { FORGE_API_URL, FORGE_GIT_URL, FORGE_TOKEN: 'planted-token' };
      return await (await connectForge(location, bindings)).account();
    } finally {
      await forge.close();
    }
  };

  it('[GF11] on one machine, the user that the machine’s git configuration names', async () => {
    const ada = { name: 'Ada Lovelace', email: 'ada@example.com' };
    expect(await accountOf(ada)).toEqual({ login: 'local', ...ada });
  });

  it('[GF11] without a name in git’s configuration, the forge’s account is the author', async () => {
    const { name, email } = await accountOf({});
    expect(name).toBe('local');
    expect(email).toMatch(/^\d+\+local@users\.noreply\.localhost$/);
  });
});
