/** What a set of toolchains looks like inside: pure, so that the same set gives the same folder. */
import { join } from 'node:path';
import { INSIDE_TOOLCHAINS, type Toolchain, type ToolchainEntry, type ToolName } from './types.ts';
import { compareVersions } from './versions.ts';

export interface Mount {
  from: string;
  /** Below the toolchains' folder. */
  to: string;
}

/** An empty folder that stands in for hidden ones. */
const HIDDEN = '.hidden';

/** Node and Python stay out of PATH: the template's Node and the system's Python are what its programs expect. */
const ON_PATH: readonly ToolName[] = ['deno', 'go', 'java', 'uv'];

export const folderOf = ({ name, label }: Toolchain): string => join(name, label);

/** In order: an empty folder comes after the one that it hides a part of. `base` is Ship's own folder. */
export function mountsOf(toolchain: Toolchain, base: string): Mount[] {
  const { source } = toolchain;
  const inside = folderOf(toolchain);
  return [
    ...toolchain.folders.map((folder) => ({
      from: join(source, folder),
      to: join(inside, folder),
    })),
    ...toolchain.hidden.map((folder) => ({
      from: join(base, HIDDEN),
      to: join(inside, folder),
    })),
  ];
}

/** The folders that must exist before anything is mounted on them. */
export function emptyFoldersOf(toolchain: Toolchain): string[] {
  const inside = folderOf(toolchain);
  return [HIDDEN, inside, ...toolchain.folders.map((folder) => join(inside, folder))];
}

/** The newest of each tool that goes on PATH; the machine's own in /usr stays in front of nothing. */
export function defaultsOf(found: readonly Toolchain[], system: readonly ToolchainEntry[]) {
  return ON_PATH.flatMap((name) => {
    // A Debian system has its Java wired up with Maven and Gradle; a second one in front would confuse both.
    if (name === 'java' && system.some((entry) => entry.name === name)) return [];
    const [newest] = found
      .filter((toolchain) => toolchain.name === name)
      .toSorted((a, b) => compareVersions(b.version, a.version));
    return newest === undefined ? [] : [newest];
  });
}

export const binOf = (toolchain: Toolchain): string =>
  join(INSIDE_TOOLCHAINS, folderOf(toolchain), 'bin');

export const entryOf = (toolchain: Toolchain, onPath: boolean): ToolchainEntry => ({
  name: toolchain.name,
  version: toolchain.version,
  bin: binOf(toolchain),
  origin: toolchain.origin,
  onPath,
});

/** `python3.12` → the newest 3.12: what `uv`, `tox` and `python3.12 -m venv` look for. The system's stay as they are. */
export function pythonNames(
  found: readonly Toolchain[],
  isInSystem: (name: string) => boolean,
): Array<[name: string, toolchain: Toolchain]> {
  const newest = new Map<string, Toolchain>();
  for (const toolchain of found) {
    const minor = /^\d+\.\d+/.exec(toolchain.version)?.[0];
    if (toolchain.name !== 'python' || minor === undefined) continue;
    const known = newest.get(`python${minor}`);
    if (known === undefined || compareVersions(known.version, toolchain.version) < 0)
      newest.set(`python${minor}`, toolchain);
  }
  return [...newest].filter(([name]) => !isInSystem(name));
}
