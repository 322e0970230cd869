import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { attackedForge } from './support/attacked-forge.ts';
import { temporaryFolder } from './support/forge.ts';
import { commit, git } from './support/git.ts';

const world = attackedForge();

describe('clones and large transfers', () => {
  test('shallow, partial, protocol v0 and v2 clones; fetch by id', async () => {
    const url = `${world.withToken('writer-token')}/ada/app.git`;
    const folder = await temporaryFolder();
    await git(folder, 'clone', '-q', '--depth', '1', url, 'shallow');
    await git(folder, 'clone', '-q', '--filter=blob:none', '--no-checkout', url, 'partial');
    await git(folder, '-c', 'protocol.version=0', 'clone', '-q', url, 'v0');
    await git(join(folder, 'v0'), 'fetch', '-q', url, await git(world.work, 'rev-parse', 'main'));
    expect(await git(join(folder, 'shallow'), 'rev-parse', '--is-shallow-repository')).toBe('true');
  });

  test('a large push and clone stream through with flat memory', async () => {
    const { randomBytes } = await import('node:crypto');
    await git(world.work, 'config', 'core.compression', '0');
    await git(world.work, 'checkout', '-q', '-b', 'large');
    await commit(
      world.work,
      Object.fromEntries(
        [1, 2, 3].map((index) => [`large-${index}.bin`, randomBytes(16 * 1024 * 1024)]),
      ),
    );
    const before = process.memoryUsage().rss;
    // Random data does not compress: without this setting a busy machine would search for deltas for a minute.
    const quick = ['-c', 'http.postBuffer=1048576', '-c', 'pack.window=0'];
    await git(world.work, ...quick, 'push', '-q', 'origin', 'large');
    const target = join(await temporaryFolder(), 'clone');
    await git(
      world.work,
      'clone',
      '-q',
      '--branch',
      'large',
      `${world.withToken('writer-token')}/ada/app.git`,
      target,
    );
    expect((process.memoryUsage().rss - before) / 1024 / 1024).toBeLessThan(40);
    expect(await git(target, 'rev-parse', 'HEAD')).toBe(
      await git(world.work, 'rev-parse', 'large'),
    );
  });
});
