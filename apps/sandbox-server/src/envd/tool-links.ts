/** Links to the machine's toolchains. Made inside, where a link that a former run left in the way leads nowhere else. */
import { lstatSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname } from 'node:path';

export function makeLinks(links: ReadonlyArray<{ path: string; target: string }>): void {
  for (const { path, target } of links) {
    try {
      if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) continue;
      mkdirSync(dirname(path), { recursive: true });
      symlinkSync(target, path);
    } catch {
      // A file of the sandbox is in the way, or one id may not write there: this toolchain does without its link.
    }
  }
}
