import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { RepositoryPaths } from './environment.ts';
import { gitObjects, text } from './run.ts';

/** `sha: null` removes the path. */
export interface TreeEdit {
  path: string;
  mode: string;
  sha: string | null;
}

/** Writes a tree with some paths changed, using a temporary index. */
export async function editTree(
  paths: RepositoryPaths,
  base: string | undefined,
  edits: readonly TreeEdit[],
): Promise<string> {
  const index = join(paths.neutralDir, `index-${randomUUID()}`);
  const environment = { GIT_INDEX_FILE: index };
  try {
    await gitObjects(paths, ['read-tree', base ?? '--empty'], { environment });
    const input = edits
      .map(
        ({ path, mode, sha }) => `${sha === null ? '0' : mode} ${sha ?? '0'.repeat(40)}\t${path}\0`,
      )
      .join('');
    const update = ['update-index', '-z', '--index-info'];
    await gitObjects(paths, update, { environment, input });
    return text(await gitObjects(paths, ['write-tree'], { environment })).trim();
  } finally {
    await Promise.all([rm(index, { force: true }), rm(`${index}.lock`, { force: true })]);
  }
}
