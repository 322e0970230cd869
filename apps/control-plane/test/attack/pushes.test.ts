/** What one session can leave at the forge, and what it can read there of another. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningForge, startForge } from '@ship/forge';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gatewayRemote, gitCapabilities } from '../../src/git/gateway/capability.ts';
import {
  type RunningControlPlane,
  SECRET,
  startControlPlane,
} from '../git/support/control-plane.ts';
import type { Holder } from '../git/support/bearer.ts';
import { commit, git, gitFailure, repository } from '../git/support/git.ts';

const TOKEN = 'forge-token-of-an-attacked-forge';
const SAVED = 'a line that was never committed';

let folder: string;
let forge: RunningForge;
let plane: RunningControlPlane;
let direct: string;
let attacker: Holder;
let victim: Holder;

async function remoteOf(holder: Holder): Promise<string> {
  const repositoryName = { forge: 'local' as const, owner: 'ada', name: 'app' };
  const branch = `ship-${holder.sessionId}`;
  const claims = { ...holder, repository: repositoryName, branch };
  const capability = await gitCapabilities(SECRET).issue(claims, Date.now() + 3_600_000);
  return gatewayRemote(plane.url, capability, claims);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ship-pushes-'));
  forge = await startForge({
    root: join(folder, 'forge'),
    tokens: [{ token: TOKEN, login: 'ada' }],
  });
  plane = await startControlPlane(folder, { ...forge, token: TOKEN });
  [attacker, victim] = [await plane.holder(), await plane.holder()];
  const made = await fetch(`${forge.apiUrl}/user/repos`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'app' }),
  });
  if (!made.ok) throw new Error(`the forge made no repository: ${made.status}`);
  direct = `${forge.gitUrl.replace('http://', `http://x:${TOKEN}@`)}/ada/app.git`;
  const origin = await repository(join(folder, 'origin'));
  await git(origin, 'push', '-q', direct, 'main');
});
afterAll(async () => {
  await plane.stop();
  await forge.close();
  await rm(folder, { recursive: true, force: true });
});

const clone = async (name: string, holder: Holder): Promise<string> => {
  const work = join(folder, name);
  await git(folder, 'clone', '-q', await remoteOf(holder), work);
  return work;
};
const refsAtForge = async () => (await git(folder, 'ls-remote', direct)).split('\n');

describe('pushes of a session', () => {
  it('[AT-M1F] attack: leaves any number of refs at the forge', async () => {
    const work = await clone('refs', attacker);
    const refs = Array.from(
      { length: 40 },
      (_, index) => `HEAD:refs/ship/${attacker.sessionId}/s${index}`,
    );
    expect(await gitFailure(work, 'push', 'origin', ...refs)).toContain('no such name');
    expect((await refsAtForge()).filter((line) => line.includes('refs/ship/'))).toEqual([]);
    await git(work, 'push', '-q', 'origin', `HEAD:refs/ship/${attacker.sessionId}/checkpoint`);
    const kept = (await refsAtForge()).filter((line) => line.includes('refs/ship/'));
    expect(kept).toHaveLength(1);
  });

  it('[AT-15M] attack: reads what another session saved, by list, by pattern or by name', async () => {
    const theirs = await clone('victim', victim);
    await commit(theirs, { 'notes.txt': SAVED }, 'saved');
    await git(theirs, 'push', '-q', 'origin', `HEAD:refs/ship/${victim.sessionId}/checkpoint`);
    const work = await clone('reader', attacker);
    await git(work, 'fetch', '-q', 'origin', '+refs/*:refs/stolen/*');
    await gitFailure(work, 'fetch', '-q', 'origin', `refs/ship/${victim.sessionId}/checkpoint`);
    await git(work, '-c', 'protocol.version=0', 'fetch', '-q', 'origin', '+refs/*:refs/older/*');
    expect(await git(work, 'ls-remote', 'origin')).not.toContain(victim.sessionId);
    const objects = await git(work, 'cat-file', '--batch', '--batch-all-objects');
    expect(objects).not.toContain(SAVED);
  });
});
