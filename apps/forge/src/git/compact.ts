import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Place } from './environment.ts';
import { hasOwnStore, isForeign, ownDir } from './own-store.ts';
import { text } from './process.ts';
import { gitRefs } from './run.ts';

/** Each push of a session leaves a pack; more than this many are worth a new one. */
const MAX_PACKS = 20;

/**
 * Leaves one pack in the forge's own store: what saved states and pull requests need and the user's own branches do not
 * have. Branches of pull requests do not count as the user's own, as they are deleted after a merge. Only before the
 * first request: a push that is under way may rely on any of the old packs.
 */
export async function compactOwnStore(
  place: Place,
  pullBranches: readonly string[],
): Promise<boolean> {
  if (!isForeign(place) || !hasOwnStore(place)) return false;
  const packs = join(ownDir(place), 'objects/pack');
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
  const needed = await gitRefs(place, [...argv, ...boundary, '--tags']);
  const input = text(needed);
  const kept = new Set<string>();
  if (input.trim() !== '') {
    const made = await gitRefs(place, ['pack-objects', '-q', join(packs, 'pack')], { input });
    kept.add(`pack-${text(made).trim()}.pack`);
  }
  for (const name of before) {
    if (kept.has(name)) continue;
    const stem = name.slice(0, -'.pack'.length);
    // The index first: git ignores a pack without one, and complains about an index without a pack.
    for (const ext of ['idx', 'rev', 'bitmap', 'keep', 'pack'])
      await rm(join(packs, `${stem}.${ext}`), { force: true });
  }
  for (const name of await readdir(join(packs, '..')))
    if (/^[0-9a-f]{2}$/.test(name))
      await rm(join(packs, '..', name), { recursive: true, force: true });
  return true;
}
