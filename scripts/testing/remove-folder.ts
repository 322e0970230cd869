/** Removes a folder of a test, also when files of sandboxes in it belong to the user's subordinate ids. */
import { execFileSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';

export function removeFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  } catch (error) {
    if (process.getuid?.() === 0 || !existsSync(folder)) throw error;
    // While a server or a sandbox still writes into it, an attempt can fail.
    const attempts = 'for i in $(seq 40); do rm -rf "$1" && exit; sleep 0.25; done; exit 1';
    withSubordinateIds('sh', '-c', attempts, 'sh', folder);
  }
}

/** Runs a program as root over the user's own id and the subordinate ones. */
function withSubordinateIds(...command: readonly string[]): void {
  execFileSync('unshare', ['--user', '--map-root-user', '--map-auto', '--', ...command]);
}
