import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Points HEAD of a bare repository at a branch, under git's own lock. False when another git process holds the lock. */
export function setHead(gitDir: string, branch: string): boolean {
  const file = join(gitDir, 'HEAD');
  const lock = `${file}.lock`;
  try {
    writeFileSync(lock, `ref: refs/heads/${branch}\n`, { flag: 'wx' });
  } catch {
    return false;
  }
  renameSync(lock, file);
  return true;
}
