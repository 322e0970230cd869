/**
 * The forge's own part of a repository in a folder of the user: saved states of sessions (`refs/ship`), heads of pull
 * requests (`refs/pull`), and every object that a push or a merge brings. The user's folder gets the objects of branches
 * and tags only, just before such a ref moves (see `exportObjects`); `git gc` there cannot delete what sessions need.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Place } from './environment.ts';
import { readRegularFile } from './read-file.ts';

/** Below `refs/`. */
export const OWN_REFS = ['ship', 'pull'] as const;

/** Whether the repository belongs to the user; the forge's own bare repositories are below its root. */
export function isForeign({ gitDir, neutralDir }: Place): boolean {
  return !gitDir.startsWith(`${dirname(dirname(neutralDir))}/`);
}

export function placeHash({ gitDir }: Place): string {
  return createHash('sha256').update(gitDir).digest('hex').slice(0, 32);
}

export function ownDir(place: Place): string {
  return join(dirname(place.neutralDir), 'own', placeHash(place));
}

/** Where new objects go. */
export function objectsDir(place: Place): string {
  return join(isForeign(place) ? ownDir(place) : place.gitDir, 'objects');
}

/** Synchronous and repeatable: two requests at once must not see half of it. */
export function layOwnStore(place: Place): void {
  const own = ownDir(place);
  const alternates = join(own, 'objects/info/alternates');
  const text = `${quoted(join(place.gitDir, 'objects'))}\n`;
  if (readRegularFile(alternates) === text) return;
  for (const folder of ['objects/info', 'objects/pack', ...OWN_REFS.map((name) => `refs/${name}`)])
    mkdirSync(join(own, folder), { recursive: true, mode: 0o700 });
  writeFileSync(`${alternates}.new`, text);
  renameSync(`${alternates}.new`, alternates);
}

export function hasOwnStore(place: Place): boolean {
  return existsSync(join(ownDir(place), 'objects/info/alternates'));
}

/** In git's own quoting: a line that begins with `"` is unquoted, so a line break in a path cannot begin a second one. */
function quoted(path: string): string {
  return `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
}
