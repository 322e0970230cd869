/** Links to the machine's toolchains. Created inside, where a link left by an earlier run cannot point outside. */
import { lstatSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname } from 'node:path';

export function makeLinks(links: ReadonlyArray<{ path: string; target: string }>): void {
  for (const { path, target } of links) {
    try {
      if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) continue;
      mkdirSync(dirname(path), { recursive: true });
      symlinkSync(target, path);
    } catch {
      // A file of the sandbox is in the way, or the single id may not write there: the toolchain stays without its link.
    }
  }
}
