/** The objects that real git can fetch through the gateway. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningForge, startForge } from '@ship/forge';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gatewayRemote, gitCapabilities } from '../../src/git/gateway/capability.ts';
import { type RunningControlPlane, SECRET, startControlPlane } from './support/control-plane.ts';
import { commit, git, gitFailure, repository } from './support/git.ts';

const TOKEN = 'forge-token-for-fetches';
const BRANCHES = 60;
const VERSIONS = ['0', '1', '2'].map((version) => ['-c', `protocol.version=${version}`] as const);

describe('fetches through the git gateway', { timeout: 60_000 }, () => {
  let folder: string;
  let forge: RunningForge;
  let plane: RunningControlPlane;
  let remote: string;
  let origin: string;
  let ownState: string;
  let clones = 0;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ship-fetches-'));
    forge = await startForge({
      root: join(folder, 'forge'),
      tokens: [{ token: TOKEN, login: 'ada' }],
    });
    plane = await startControlPlane(folder, { ...forge, token: TOKEN });
    const made = await fetch(`${forge.apiUrl}/user/repos`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'app' }),
    });
    if (!made.ok) throw new Error(`the forge made no repository: ${made.status}`);
    const holder = await plane.holder();
    const name = { forge: 'local' as const, owner: 'ada', name: 'app' };
    const claims = { ...holder, repository: name, branch: 'ship-work' };
    const capability = await gitCapabilities(SECRET).issue(claims, Date.now() + 3_600_000);
    remote = gatewayRemote(plane.url, capability, claims);
    ownState = `refs/ship/${holder.sessionId}/checkpoint`;
    origin = await repository(join(folder, 'origin'));
    await git(origin, 'tag', '-a', 'v1', '-m', 'first');
    for (let each = 0; each < BRANCHES; each += 1) {
      const tree = await git(origin, 'rev-parse', 'HEAD^{tree}');
      const sha = await git(origin, 'commit-tree', tree, '-p', 'HEAD', '-m', `b${each}`);
      await git(origin, 'branch', `b${each}`, sha);
    }
    await commit(origin, { 'src/b.txt': 'later\n' }, 'second');
    const direct = `${forge.gitUrl.replace('http://', `http://x:${TOKEN}@`)}/ada/app.git`;
    await git(origin, 'push', '-q', direct, '--all');
    await git(origin, 'push', '-q', direct, '--tags', `b0:${ownState}`);
  }, 60_000);
  afterAll(async () => {
    await plane.stop();
    await forge.close();
    await rm(folder, { recursive: true, force: true });
  });

  const clone = async (...options: string[]) => {
    const work = join(folder, `clone-${clones++}`);
    await git(folder, ...options, remote, work);
    return work;
  };

  it.each(VERSIONS)(
    '[GG9] clones with many branches, whole, shallow and partial (%s %s)',
    async (...version) => {
      // More branches than fit into an uncompressed request: git compresses the list of its wants.
      for (const options of [[], ['--depth', '1', '--no-single-branch'], ['--filter=blob:none']]) {
        const work = await clone(...version, 'clone', '-q', ...options);
        expect(await git(work, 'show', 'HEAD:src/b.txt')).toBe('later');
        expect((await git(work, 'branch', '-r')).split('\n')).toHaveLength(BRANCHES + 2);
        await git(work, 'fsck', '--connectivity-only');
      }
      const work = await clone(...version, 'clone', '-q', '--depth', '1');
      await git(work, ...version, 'fetch', '-q', '--unshallow', 'origin');
      await git(work, ...version, 'fetch', '-q', 'origin', ownState);
      expect(await git(work, 'rev-list', '--count', 'HEAD')).toBe('2');
    },
  );

  it.each(VERSIONS)(
    '[GG9] fetches the tip of a branch or a tag by its hash, and no other object (%s %s)',
    async (...version) => {
      const work = join(folder, `bare-${clones++}`);
      await git(folder, 'init', '-q', work);
      const tips = await git(origin, 'rev-parse', 'main', 'b7', 'v1');
      for (const sha of tips.split('\n')) {
        await git(work, ...version, 'fetch', '-q', '--depth', '1', remote, sha);
        expect(await git(work, 'cat-file', '-t', sha)).toMatch(/commit|tag/);
      }
      const empty = join(folder, `bare-${clones++}`);
      await git(folder, 'init', '-q', empty);
      for (const name of ['main^{tree}', 'main:src/b.txt'])
        expect(
          await gitFailure(
            empty,
            ...version,
            'fetch',
            remote,
            await git(origin, 'rev-parse', name),
          ),
        ).toMatch(/not the tip of a branch|unadvertised object/);
    },
  );

  it('[GG9] a branch that moves between the list and the fetch can still be fetched', async () => {
    const before = await git(origin, 'rev-parse', 'b9');
    const work = await clone('clone', '-q', '--single-branch', '--branch', 'main');
    await git(work, 'ls-remote', remote);
    const direct = `${forge.gitUrl.replace('http://', `http://x:${TOKEN}@`)}/ada/app.git`;
    await git(origin, 'push', '-qf', direct, 'main:b9');
    await git(work, 'fetch', '-q', remote, before);
    expect(await git(work, 'cat-file', '-t', before)).toBe('commit');
  });
});
