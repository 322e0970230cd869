/**
 * The forge's private store for a repository in a user's folder: checkpoints of sessions (`refs/ship`), heads of pull
 * requests (`refs/pull`), and all objects that pushes and merges add. The user's folder receives only the objects of
 * branches and tags, just before such a ref moves (see `exportObjects`), so its `git gc` cannot delete what sessions need.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RepositoryPaths } from './environment.ts';
import { readRegularFile } from './read-file.ts';

/** Namespaces below `refs/`. */
export const PRIVATE_REFS = ['ship', 'pull'] as const;

/** False for the forge's own bare repositories, which are below its root. */
export function isUserRepository({ gitDir, neutralDir }: RepositoryPaths): boolean {
  return !gitDir.startsWith(`${dirname(dirname(neutralDir))}/`);
}

export function repositoryHash({ gitDir }: RepositoryPaths): string {
  return createHash('sha256').update(gitDir).digest('hex').slice(0, 32);
}

export function privateStoreDir(paths: RepositoryPaths): string {
  return join(dirname(paths.neutralDir), 'own', repositoryHash(paths));
}

/** New objects are written here. */
export function objectsDir(paths: RepositoryPaths): string {
  return join(isUserRepository(paths) ? privateStoreDir(paths) : paths.gitDir, 'objects');
}

/** Idempotent, and synchronous so that concurrent requests never see an incomplete store. */
export function ensurePrivateStore(paths: RepositoryPaths): void {
  const own = privateStoreDir(paths);
  const alternates = join(own, 'objects/info/alternates');
  const text = `${quoted(join(paths.gitDir, 'objects'))}\n`;
  if (readRegularFile(alternates) === text) return;
  for (const folder of [
    'objects/info',
    'objects/pack',
    ...PRIVATE_REFS.map((name) => `refs/${name}`),
  ])
    mkdirSync(join(own, folder), { recursive: true, mode: 0o700 });
  writeFileSync(`${alternates}.new`, text);
  renameSync(`${alternates}.new`, alternates);
}

export function hasPrivateStore(paths: RepositoryPaths): boolean {
  return existsSync(join(privateStoreDir(paths), 'objects/info/alternates'));
}

/** git unquotes lines that begin with `"`. Without quotes a line break in a path would start a second entry. */
function quoted(path: string): string {
  return `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
}
