/** One folder for all the temporary files of a test run: the tools under it leave theirs behind when they are killed. */
import { chmodSync, mkdirSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '../testing/remove-folder.ts';

/** Short: sockets below it must fit into the 108 bytes of a socket's path. */
const NAME = /^ship-run-(?<pid>[0-9]+)$/;

export function openTemporaryFolder(parent: string = tmpdir()): string {
  removeStale(parent);
  const folder = join(parent, `ship-run-${process.pid}`);
  removeFolder(folder);
  mkdirSync(folder);
  // As /tmp: tests start processes of other users.
  chmodSync(folder, 0o1777);
  return folder;
}

/** Deletes the folder and says what was still in it: the first part of each name, and how many there were. */
export function removeTemporaryFolder(folder: string): string[] {
  const counts = new Map<string, number>();
  for (const name of readdirSync(folder)) {
    const kind = name.replace(/-[^-]*$/, '');
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  removeFolder(folder);
  return [...counts].map(([kind, count]) => (count === 1 ? kind : `${count} × ${kind}`)).sort();
}

/** A run that was killed leaves its folder. */
function removeStale(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = NAME.exec(name)?.groups?.pid;
    if (pid === undefined || isAlive(Number(pid))) continue;
    try {
      removeFolder(join(parent, name));
    } catch {
      // Another user's.
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
