/** Finds the toolchains of the machine. Reads names, modes and version files; does not search a home's content. */
import { execFile } from 'node:child_process';
import {
  closeSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { basename, join, sep } from 'node:path';
import { promisify } from 'node:util';
import {
  familiesOf,
  SHAPES,
  type Families,
  type FolderFamily,
  type ProgramFamily,
} from './families.ts';
import type { DetectedToolchains, RefusedToolchain, Toolchain } from './types.ts';
import { compareVersions, versionInName, versionOf } from './versions.ts';

const run = promisify(execFile);
const VERSION_TIMEOUT_MS = 10_000;

/** A label becomes a folder name, a mount target and a line of the launcher's plan. */
const SAFE_LABEL = /^[A-Za-z0-9][A-Za-z0-9._+-]{0,80}$/;
const OTHERS_READ_AND_ENTER = 0o005;
const MAX_COPIED_BYTES = 8 * 1024 * 1024;

const UNREADABLE =
  'other users cannot read it, and sandboxes run as other users: run chmod -R o+rX on it';

type Verdict = Toolchain | RefusedToolchain | undefined;

export async function detectToolchains(
  families: Families = familiesOf(homedir(), process.env),
): Promise<DetectedToolchains> {
  const folders = families.folders.flatMap(inspectFamily);
  const programs = await Promise.all(families.programs.map(inspectPrograms));
  const all = [...folders, ...programs].filter((verdict) => verdict !== undefined);
  const found = all.filter((verdict): verdict is Toolchain => 'version' in verdict);
  return {
    found: firstOfEach(found).toSorted(
      (a, b) => a.name.localeCompare(b.name) || compareVersions(a.version, b.version),
    ),
    refused: all.filter((verdict): verdict is RefusedToolchain => 'reason' in verdict),
  };
}

/** Two managers may have installed the same version: keep the first. */
function firstOfEach(found: Toolchain[]): Toolchain[] {
  const seen = new Set<string>();
  return found.filter(({ name, label }) => {
    const key = `${name}/${label}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

function inspectFamily(family: FolderFamily): Verdict[] {
  if (family.isOne === true) return [inspectFolder(family, family.root, basename(family.root))];
  try {
    return readdirSync(family.root, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => inspectFolder(family, join(family.root, name, family.below ?? ''), name));
  } catch {
    return [];
  }
}

/** A link as a version's folder is an alias of another version (mise, asdf), or points elsewhere: neither is followed. */
function inspectFolder({ tool, origin }: FolderFamily, path: string, name: string): Verdict {
  const shape = SHAPES[tool];
  if (shape === undefined) return undefined;
  try {
    if (!lstatSync(path).isDirectory()) return undefined;
    const source = realpathSync(path);
    const proof = realpathSync(join(source, shape.proof));
    if (!proof.startsWith(source + sep)) return undefined;
    const version = versionOf(tool, source, name);
    const label = tool === 'rust' ? name : version;
    if (version === undefined || label === undefined || !SAFE_LABEL.test(label)) return undefined;
    const folders = shape.folders.filter((folder) => isFolder(join(source, folder)));
    const visible = [...folders.map((folder) => join(source, folder)), proof];
    if (!visible.every(isReadable)) return { name: tool, path: source, reason: UNREADABLE };
    const small = (shape.copiedIfSmall ?? []).filter(
      (folder) => folders.includes(folder) && isSmall(join(source, folder)),
    );
    const hidden = tool === 'python' ? hiddenOf(source) : [];
    const copied = shape.copied.filter((folder) => isFolder(join(source, folder)));
    return {
      name: tool,
      version,
      label,
      origin,
      source,
      folders: folders.filter((folder) => !small.includes(folder)),
      hidden,
      copied: [...copied, ...small],
      programs: [],
    };
  } catch {
    return undefined;
  }
}

const isFolder = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
const isReadable = (path: string): boolean =>
  (statSync(path).mode & OTHERS_READ_AND_ENTER) === OTHERS_READ_AND_ENTER;

/** A flat folder that is small enough that a copy costs less than one more mount in every sandbox start. */
function isSmall(folder: string): boolean {
  const stats = readdirSync(folder).map((name) => lstatSync(join(folder, name)));
  const bytes = stats.reduce((sum, { size }) => sum + size, 0);
  return bytes <= MAX_COPIED_BYTES && !stats.some((entry) => entry.isDirectory());
}

/** Installed packages belong to the owner, and some are private. `python -m venv` brings its own pip. */
function hiddenOf(source: string): string[] {
  return readdirSync(join(source, 'lib'))
    .filter((name) => /^python\d/.test(name))
    .map((name) => join('lib', name, 'site-packages'))
    .filter((folder) => isFolder(join(source, folder)));
}

async function inspectPrograms(family: ProgramFamily): Promise<Verdict> {
  const { tool: name, origin, folder } = family;
  const [first] = family.programs;
  if (first === undefined) return undefined;
  try {
    const programs = family.programs.filter((program) => isProgram(join(folder, program)));
    if (!programs.includes(first)) return undefined;
    const { stdout } = await run(join(folder, first), ['--version'], {
      timeout: VERSION_TIMEOUT_MS,
    });
    const version = versionInName(stdout);
    if (version === undefined || !SAFE_LABEL.test(version)) return undefined;
    return {
      name,
      version,
      label: version,
      origin,
      source: folder,
      folders: [],
      hidden: [],
      copied: [],
      programs,
    };
  } catch {
    return undefined;
  }
}

/** Follows links: `~/.local/bin/uv` is one when pipx installed it. Excludes scripts, which depend on their location. */
function isProgram(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isFile() === true && (stats.mode & 0o111) !== 0 && isBinary(path);
}

function isBinary(path: string): boolean {
  const start = Buffer.alloc(4);
  const file = openSync(path, 'r');
  try {
    readSync(file, start, 0, 4, 0);
  } finally {
    closeSync(file);
  }
  return start.equals(Buffer.from('\x7fELF', 'latin1'));
}
