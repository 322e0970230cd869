/** Removing folders that a hostile user filled. */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const DOOMED = '.gone-';

/**
 * Of a server that was killed in the middle of one: nobody would ask for these again. What cannot be removed now either
 * is left for the next start: it must not keep this one from running.
 */
export async function finishRemovals(folder: string, unshare: string): Promise<void> {
  const doomed = readdirSync(folder).filter((name) => name.startsWith(DOOMED));
  for (const name of doomed) await empty(join(folder, name), unshare).catch(() => undefined);
}

/** Renamed first, so that a removal that is cut short leaves nothing under a name that means something. */
export async function removeTree(path: string, unshare: string): Promise<void> {
  const doomed = path.replace(/([^/]+)$/, `${DOOMED}$1`);
  if (existsSync(doomed)) await empty(doomed, unshare);
  if (!existsSync(path)) return;
  await rename(path, doomed);
  await empty(doomed, unshare);
}

/**
 * Folders without permissions (overlayfs makes one, and a user can) cannot be emptied by an ordinary user; root of a user
 * namespace of his own can.
 */
async function empty(folder: string, unshare: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true });
  } catch {
    await run(unshare, ['--user', '--map-root-user', '--', 'rm', '-rf', '--', folder]);
  }
}
