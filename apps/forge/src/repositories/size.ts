import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Loose objects are spread evenly over 256 folders; git itself estimates their number from this one. */
const SAMPLE = '17';
const LOOSE_FOLDERS = 256;

/**
 * The size of a repository's objects in KB, as in GitHub's API: clients use it to choose how to clone. Sums packs and
 * estimates loose objects. Never 0 for a repository with objects: 0 means unknown.
 */
export async function repositorySizeKb(gitDir: string): Promise<number> {
  const objects = join(gitDir, 'objects');
  const [packs, loose, names] = await Promise.all([
    bytesIn(join(objects, 'pack'), '.pack'),
    bytesIn(join(objects, SAMPLE), ''),
    readdir(objects).catch(() => []),
  ]);
  const isEmpty = packs === 0 && !names.some((name) => /^[0-9a-f]{2}$/.test(name));
  if (isEmpty) return 0;
  return Math.max(1, Math.round((packs + loose * LOOSE_FOLDERS) / 1024));
}

async function bytesIn(folder: string, ending: string): Promise<number> {
  const names = await readdir(folder).catch(() => []);
  const sizes = names
    .filter((name) => name.endsWith(ending))
    // git may remove a file in the meantime: count it as 0.
    .map(async (name) => (await stat(join(folder, name)).catch(() => undefined))?.size ?? 0);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
