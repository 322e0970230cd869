/** The layout of a set of toolchains inside. Pure, so that the same set gives the same folder. */
import { join } from 'node:path';
import { INSIDE_TOOLCHAINS, type Toolchain, type ToolchainEntry, type ToolName } from './types.ts';
import { compareVersions } from './versions.ts';

export interface Mount {
  from: string;
  /** Below the toolchains' folder. */
  to: string;
}

/** An empty folder that covers hidden ones. */
const HIDDEN = '.hidden';

/** Node and Python stay out of PATH: programs expect the template's Node and the system's Python. */
const ON_PATH: readonly ToolName[] = ['deno', 'go', 'java', 'uv'];

export const folderOf = ({ name, label }: Toolchain): string => join(name, label);

/** In mount order: an empty folder follows the folder that it covers a part of. `base` is Ship's staging folder. */
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

/** Mount points that must exist before the mounts. */
export function emptyFoldersOf(toolchain: Toolchain): string[] {
  const inside = folderOf(toolchain);
  return [HIDDEN, inside, ...toolchain.folders.map((folder) => join(inside, folder))];
}

/** The newest version of each tool that goes on PATH. */
export function defaultsOf(found: readonly Toolchain[], system: readonly ToolchainEntry[]) {
  return ON_PATH.flatMap((name) => {
    // Debian configures its Java for Maven and Gradle; another one earlier on PATH would confuse both.
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

/** `python3.12` → the newest 3.12: what `uv`, `tox` and `python3.12 -m venv` look up. The system's are not replaced. */
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
