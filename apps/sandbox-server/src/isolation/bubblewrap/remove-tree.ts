/** Removing folders that a hostile user filled. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Renamed first, so that a removal that is cut short leaves nothing under a name that means something. Folders without
 * permissions (overlayfs makes one, and a user can) cannot be emptied by an ordinary user before they are opened up.
 */
export async function removeTree(path: string): Promise<void> {
  if (!existsSync(path)) return;
  const doomed = path.replace(/([^/]+)$/, '.gone-$1');
  await rm(doomed, { recursive: true, force: true }).catch(() => {});
  await rename(path, doomed);
  try {
    await rm(doomed, { recursive: true, force: true });
  } catch {
    await run('chmod', ['-R', 'u+rwX', doomed]).catch(() => {});
    await rm(doomed, { recursive: true, force: true });
  }
}
