import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { RepositoryPaths } from './environment.ts';
import { hasPrivateStore, isUserRepository, privateStoreDir } from './private-store.ts';
import { text } from './process.ts';
import { gitRefs } from './run.ts';

/** Each push adds a pack; above this number they are merged. */
const MAX_PACKS = 20;

/**
 * Merges the packs of the private store into one, with the objects that checkpoints and pull requests need and the user's
 * branches lack. Head branches of pull requests do not count, as they are deleted after a merge. Runs only before the
 * first request: a push in progress may read any of the old packs.
 */
export async function compactPrivateStore(
  paths: RepositoryPaths,
  pullBranches: readonly string[],
): Promise<boolean> {
  if (!isUserRepository(paths) || !hasPrivateStore(paths)) return false;
  const packs = join(privateStoreDir(paths), 'objects/pack');
  const before = (await readdir(packs)).filter((name) => name.endsWith('.pack'));
  if (before.length <= MAX_PACKS) return false;
  const boundary = ['--not', ...pullBranches.map((name) => `--exclude=${name}`), '--branches'];
  const argv = [
    'rev-list',
    '--objects',
    '--no-object-names',
    '--glob=refs/ship',
    '--glob=refs/pull',
  ];
  const needed = await gitRefs(paths, [...argv, ...boundary, '--tags']);
  const input = text(needed);
  const kept = new Set<string>();
  if (input.trim() !== '') {
    const packed = await gitRefs(paths, ['pack-objects', '-q', join(packs, 'pack')], { input });
    kept.add(`pack-${text(packed).trim()}.pack`);
  }
  for (const name of before) {
    if (kept.has(name)) continue;
    const stem = name.slice(0, -'.pack'.length);
    // Delete the index first: git ignores a pack without an index, and warns about an index without a pack.
    for (const ext of ['idx', 'rev', 'bitmap', 'keep', 'pack'])
      await rm(join(packs, `${stem}.${ext}`), { force: true });
  }
  for (const name of await readdir(join(packs, '..')))
    if (/^[0-9a-f]{2}$/.test(name))
      await rm(join(packs, '..', name), { recursive: true, force: true });
  return true;
}
