/** Removing folders that a hostile user filled. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Renamed first, so that a removal that is cut short leaves nothing under a name that means something. Folders without
 * permissions (overlayfs makes one, and a user can) cannot be emptied by an ordinary user; root of a user namespace of
 * his own can.
 */
export async function removeTree(path: string, unshare: string): Promise<void> {
  if (!existsSync(path)) return;
  const doomed = path.replace(/([^/]+)$/, '.gone-$1');
  await rm(doomed, { recursive: true, force: true }).catch(() => {});
  await rename(path, doomed);
  try {
    await rm(doomed, { recursive: true, force: true });
  } catch {
    await run(unshare, ['--user', '--map-root-user', '--', 'rm', '-rf', '--', doomed]);
  }
}
