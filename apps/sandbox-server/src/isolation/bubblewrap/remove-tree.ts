/** Removing folders that a hostile user filled. */
import { existsSync, readdirSync } from 'node:fs';
import { rename, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileOwner } from './file-owner.ts';

const DOOMED = '.gone-';

/**
 * Ends the removals that a killed server had begun; no later call would name these folders. A folder that cannot be
 * removed now is left for the next start: it must not keep this one from running.
 */
export async function finishRemovals(folder: string, owner: FileOwner): Promise<void> {
  const doomed = readdirSync(folder).filter((name) => name.startsWith(DOOMED));
  for (const name of doomed) await empty(join(folder, name), owner).catch(() => undefined);
}

/** Renamed first, so that a removal that is cut short leaves nothing under a name that means something. */
export async function removeTree(path: string, owner: FileOwner): Promise<void> {
  const doomed = path.replace(/([^/]+)$/, `${DOOMED}$1`);
  if (existsSync(doomed)) await empty(doomed, owner);
  if (!existsSync(path)) return;
  await rename(path, doomed);
  await empty(doomed, owner);
}

/** Files of other ids, and folders without permissions, which a user inside can make, need the owner's rights. */
async function empty(folder: string, owner: FileOwner): Promise<void> {
  if (owner.mode !== 'subordinate') {
    try {
      await rm(folder, { recursive: true, force: true });
      return;
    } catch {
      // Left to the program below, which also says why it fails.
    }
  }
  await owner.remove(folder);
}

/**
 * Removes what overlayfs keeps in a work folder: a folder of mode 000, which `rm -rf` removes and Node's `rm` does not,
 * so that an ordinary user's data folder could not be deleted by a program.
 */
export async function clearWorkFolder(work: string, owner: FileOwner): Promise<void> {
  if (!existsSync(work)) return;
  for (const name of readdirSync(work)) {
    const folder = join(work, name);
    // Copies that a kill cut short may still be in it.
    await rmdir(folder).catch(() => owner.remove(folder));
  }
}
