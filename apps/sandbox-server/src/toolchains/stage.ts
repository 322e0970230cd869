/** Stages the folder that sandboxes see as /run/toolchains: mount points, copied programs, and a list of everything. */
import { createHash } from 'node:crypto';
import {
  chmodSync,
  constants,
  copyFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { findTool } from '../isolation/bubblewrap/host-tools.ts';
import {
  binOf,
  defaultsOf,
  emptyFoldersOf,
  entryOf,
  folderOf,
  mountsOf,
  pythonNames,
  type Mount,
} from './plan.ts';
import { RUST_PROGRAMS, RUST_PROXY, rustupSettings } from './rust-programs.ts';
import { INSIDE_TOOLCHAINS, type Toolchain, type ToolchainEntry } from './types.ts';

export interface StagedToolchains {
  /** Host path; becomes /run/toolchains. */
  base: string;
  mounts: Mount[];
  /** Folders inside, for PATH. */
  path: string[];
  env: Record<string, string>;
  links: Array<{ path: string; target: string }>;
  entries: ToolchainEntry[];
}

export interface StageInput {
  /** Contains one folder per set of toolchains. */
  folder: string;
  found: readonly Toolchain[];
  system: readonly ToolchainEntry[];
  /** Toolchains in the template. */
  bundled: readonly ToolchainEntry[];
  rustup: { program: string; home: string };
}

const SHIMS = 'bin';

export function stageToolchains(input: StageInput): StagedToolchains {
  const { found, system, bundled } = input;
  const hasRustup = found.some(({ name }) => name === 'rust') && existsSync(input.rustup.program);
  const defaults = defaultsOf(found, system);
  const onPath = (toolchain: Toolchain) =>
    toolchain.name === 'rust' ? hasRustup : defaults.includes(toolchain);
  const entries = [
    ...bundled,
    ...found.map((toolchain) => entryOf(toolchain, onPath(toolchain))),
    ...system,
  ];
  const list = `${JSON.stringify({ toolchains: entries }, null, 2)}\n`;
  const base = join(input.folder, hashOf(input, list));
  if (!existsSync(base)) {
    const temporary = `${base}.new-${process.pid}`;
    rmSync(temporary, { recursive: true, force: true });
    layOut(temporary, input, hasRustup);
    writeFileSync(join(temporary, 'toolchains.json'), list);
    makeReadable(temporary);
    moveIntoPlace(temporary, base);
  }
  const java = defaults.find(({ name }) => name === 'java');
  return {
    base,
    mounts: found.flatMap((toolchain) => mountsOf(toolchain, base)),
    path: [join(INSIDE_TOOLCHAINS, SHIMS), ...defaults.map(binOf)],
    env: java === undefined ? {} : { JAVA_HOME: dirname(binOf(java)) },
    links: found
      .filter(({ name }) => name === 'python')
      .map((toolchain) => ({ path: toolchain.source, target: dirname(binOf(toolchain)) })),
    entries,
  };
}

/** Increment when the layout of the folder changes. */
const LAYOUT_VERSION = 3;

/** Running sandboxes use the folder of their start, so another set, or another copy of a program, gets another folder. */
function hashOf({ found, rustup }: StageInput, list: string): string {
  const hash = createHash('sha256').update(`${LAYOUT_VERSION}\0${list}\0${JSON.stringify(found)}`);
  const copied = found.flatMap(({ source, programs, copied: copiedFolders }) =>
    [...programs, ...copiedFolders].map((name) => join(source, name)),
  );
  for (const file of [...copied, rustup.program]) {
    const stats = statSync(file, { throwIfNoEntry: false });
    hash.update(`\0${file}:${stats?.size}:${stats?.mtimeMs}`);
  }
  return hash.digest('hex').slice(0, 16);
}

const isInSystem = (name: string): boolean => findTool(name, ['/usr/bin']) !== undefined;

const makeFolder = (path: string): string | undefined => mkdirSync(path, { recursive: true });

function layOut(base: string, { found, rustup }: StageInput, hasRustup: boolean): void {
  makeFolder(join(base, SHIMS));
  for (const toolchain of found) {
    for (const folder of emptyFoldersOf(toolchain)) makeFolder(join(base, folder));
    for (const folder of toolchain.copied)
      cpSync(join(toolchain.source, folder), join(base, folderOf(toolchain), folder), {
        recursive: true,
        verbatimSymlinks: true,
        filter: isReadableByOthers,
      });
    for (const name of toolchain.programs) {
      const target = join(base, folderOf(toolchain), 'bin', name);
      makeFolder(dirname(target));
      copyProgram(join(toolchain.source, name), target);
    }
  }
  for (const [name, toolchain] of pythonNames(found, isInSystem))
    symlinkSync(join('..', folderOf(toolchain), 'bin', 'python3'), join(base, SHIMS, name));
  if (!hasRustup) return;
  makeFolder(join(base, 'rustup'));
  copyProgram(rustup.program, join(base, 'rustup', 'rustup'));
  const rust = found.filter(({ name }) => name === 'rust').map(({ label }) => label);
  writeFileSync(
    join(base, 'rustup', 'settings.toml'),
    rustupSettings(defaultToolchain(rustup.home, rust)),
  );
  for (const name of RUST_PROGRAMS)
    writeFileSync(join(base, SHIMS, name), RUST_PROXY, { mode: 0o755 });
}

function defaultToolchain(rustupHome: string, labels: readonly string[]): string {
  let named: string | undefined;
  try {
    const settings = readFileSync(join(rustupHome, 'settings.toml'), 'utf8');
    named = /^default_toolchain = "([^"]+)"/m.exec(settings)?.[1];
  } catch {
    // A home without settings has no default.
  }
  const stable = labels.find((label) => label.startsWith('stable'));
  return labels.find((label) => label === named) ?? stable ?? labels[0] ?? 'stable';
}

/** A copy, not a link: a later change of the owner's file must not reach a sandbox half written. */
function copyProgram(source: string, target: string): void {
  copyFileSync(realpathSync(source), target, constants.COPYFILE_FICLONE);
  chmodSync(target, 0o755);
}

/** Sandboxes can read the copy: it must not contain a script that only its owner may read. */
function isReadableByOthers(path: string): boolean {
  const stats = lstatSync(path);
  return stats.isSymbolicLink() || (stats.mode & 0o004) !== 0;
}

/** Readable for the users inside, independent of this process's umask. */
function makeReadable(folder: string): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) makeReadable(path);
    else if (entry.isFile()) chmodSync(path, (statSync(path).mode & 0o100) === 0 ? 0o644 : 0o755);
  }
}

function moveIntoPlace(temporary: string, final: string): void {
  try {
    renameSync(temporary, final);
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    if (!existsSync(final)) throw error;
  }
}
