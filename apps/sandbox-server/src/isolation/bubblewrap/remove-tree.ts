/** Deletes folders that a hostile user filled. */
import { existsSync, readdirSync } from 'node:fs';
import { rename, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileOwner } from './file-owner.ts';

const TRASH_PREFIX = '.gone-';

/**
 * Completes the removals that a killed server began; no later call would name these folders. A folder that cannot be
 * removed now is left for the next start: it must not keep this one from running.
 */
export async function finishRemovals(folder: string, owner: FileOwner): Promise<void> {
  const trash = readdirSync(folder).filter((name) => name.startsWith(TRASH_PREFIX));
  for (const name of trash) await empty(join(folder, name), owner).catch(() => undefined);
}

/** Renames first, so that an interrupted removal leaves nothing under a meaningful name. */
export async function removeTree(path: string, owner: FileOwner): Promise<void> {
  const trash = path.replace(/([^/]+)$/, `${TRASH_PREFIX}$1`);
  if (existsSync(trash)) await empty(trash, owner);
  if (!existsSync(path)) return;
  await rename(path, trash);
  await empty(trash, owner);
}

/** Files of other ids, and folders without permissions, which a user inside can create, need the owner's rights. */
async function empty(folder: string, owner: FileOwner): Promise<void> {
  if (owner.mode !== 'subordinate') {
    try {
      await rm(folder, { recursive: true, force: true });
      return;
    } catch {
      // The program below tries again and reports why it fails.
    }
  }
  await owner.remove(folder);
}

/**
 * Deletes the contents of an overlayfs work folder: a folder of mode 000, which `rm -rf` removes and Node's `rm` does not,
 * so that a program could not delete an ordinary user's data folder.
 */
export async function clearWorkFolder(work: string, owner: FileOwner): Promise<void> {
  if (!existsSync(work)) return;
  for (const name of readdirSync(work)) {
    const folder = join(work, name);
    // May still contain copies that a kill interrupted.
    await rmdir(folder).catch(() => owner.remove(folder));
  }
}
