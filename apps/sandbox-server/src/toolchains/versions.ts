/** Versions from names and files: does not run a host program where a file has the version. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ToolName } from './types.ts';

const NUMBERS = /(\d+(?:\.\d+)+(?:[-+.][0-9A-Za-z.-]+)?|\d+)/;

/** `v20.11.0`, `go1.22.1`, `cpython-3.12.1-linux-x86_64-gnu`, `21.0.2-tem` → the version in it. */
export function versionInName(name: string): string | undefined {
  const python = /^(?:cpython|pypy)-(\d+(?:\.\d+)+)/.exec(name)?.[1];
  return python ?? NUMBERS.exec(name)?.[1];
}

function match(file: string, pattern: RegExp): string | undefined {
  try {
    return pattern.exec(readFileSync(file, 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}

export function versionOf(tool: ToolName, folder: string, name: string): string | undefined {
  if (tool === 'go') return match(join(folder, 'VERSION'), /^go(\S+)/) ?? versionInName(name);
  if (tool === 'java')
    return match(join(folder, 'release'), /^JAVA_VERSION="([^"]+)"/m) ?? versionInName(name);
  if (tool === 'rust') {
    const manifest = join(folder, 'lib/rustlib/multirust-channel-manifest.toml');
    return match(manifest, /^\[pkg\.rustc\]\nversion = "(\S+)/m) ?? versionInName(name);
  }
  return versionInName(name);
}

const numbersOf = (version: string): number[] =>
  (version.match(/\d+/g) ?? []).slice(0, 3).map(Number);

/** Ascending by their first three numbers. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [numbersOf(a), numbersOf(b)];
  for (let at = 0; at < 3; at += 1) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
