import { existsSync, realpathSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { type Forge, pathsOf } from '../forge.ts';
import { refTips } from '../git/refs.ts';
import { gitPlain } from '../git/process.ts';
import { ApiError, invalid, unprocessable } from '../http/errors.ts';
import type { RepositoryRow } from '../store/rows.ts';
import { isGitDir } from '../git/locate.ts';
import { guessDefaultBranch, inspectFolder } from './folders.ts';
import { isOwnerName, isRepositoryName } from './names.ts';

export interface Registration {
  path: string;
  owner?: string | undefined;
  name?: string | undefined;
  defaultBranch?: string | undefined;
}

/** Registers a user's folder. Idempotent: the same folder returns the same repository. */
export async function registerFolder(forge: Forge, input: Registration): Promise<RepositoryRow> {
  const found = await inspectFolder(forge, input.path);
  const known = forge.store.repositories.byGitDir(found.gitDir);
  const owner = input.owner ?? known?.owner ?? forge.options.login;
  const name = input.name ?? known?.name ?? unusedName(forge, owner, found);
  if (known !== undefined) {
    if (
      known.owner.toLowerCase() === owner.toLowerCase() &&
      known.name.toLowerCase() === name.toLowerCase()
    )
      return known;
    throw unprocessable(`${input.path} is registered already, as ${known.owner}/${known.name}.`);
  }
  checkNames(forge, owner, name);
  const paths = { ...found, neutralDir: forge.neutralDir };
  const row = forge.store.repositories.add({
    owner,
    name,
    kind: found.folder === null ? 'bare' : 'folder',
    git_dir: found.gitDir,
    folder: found.folder,
    default_branch: input.defaultBranch ?? (await guessDefaultBranch(paths)),
    description: null,
  });
  await recordRefs(forge, row);
  return row;
}

export function suggestName(path: string): string {
  const name = basename(path)
    .replace(/\.git$/i, '')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[.-]+/, '');
  return isRepositoryName(name) ? name : 'repository';
}

const MAX_NAME = 100;

/**
 * Two folders with the same name, such as `work/app` and `private/app`, are two repositories: the second name gets the
 * parent folder as a prefix, or a number when that name is taken as well.
 */
function unusedName(
  forge: Forge,
  owner: string,
  { folder, gitDir }: { folder: string | null; gitDir: string },
): string {
  const path = folder ?? gitDir;
  // A repository in the forge's root already has its name: do not treat its own folder as a collision.
  const own = realpathSync(gitDir);
  const name = suggestName(path);
  const above = suggestName(dirname(path));
  const longer = `${above}-${name}`.slice(-MAX_NAME).replace(/^[.-]+/, '');
  const numbered = Array.from({ length: 98 }, (_, index) => `${name.slice(0, 96)}-${index + 2}`);
  const candidates = [name, longer, ...numbered];
  return (
    candidates.find((one) => isRepositoryName(one) && !isTaken(forge, owner, one, own)) ?? name
  );
}

function isTaken(forge: Forge, owner: string, name: string, own?: string): boolean {
  const path = barePath(forge, owner, name);
  const isKnown = forge.store.repositories.find(owner, name) !== undefined;
  return isKnown || (existsSync(path) && realpathSync(path) !== own);
}

/** `own` is the git folder of a repository that is renamed: its current name is not a collision. */
export function checkNames(forge: Forge, owner: string, name: string, own?: string): void {
  const resource = 'Repository';
  if (!isOwnerName(owner)) throw invalid({ resource, field: 'owner', code: 'invalid' });
  if (!isRepositoryName(name))
    throw invalid({ resource, field: 'name', code: 'invalid', message: 'name is not valid' });
  if (isTaken(forge, owner, name, own))
    throw invalid({
      resource,
      field: 'name',
      code: 'custom',
      message: 'name already exists on this account',
    });
}

function barePath(forge: Forge, owner: string, name: string): string {
  return join(forge.root, owner, `${name}.git`);
}

export interface NewBare {
  owner: string;
  name: string;
  description: string | null;
  defaultBranch: string;
}

/** Creates a bare repository at a temporary path and renames it, so that a crash never leaves an incomplete one. */
export async function createBare(forge: Forge, input: NewBare): Promise<RepositoryRow> {
  checkNames(forge, input.owner, input.name);
  const path = barePath(forge, input.owner, input.name);
  const draft = join(forge.neutralDir, `new-${randomUUID()}.git`);
  await mkdir(join(forge.root, input.owner), { recursive: true });
  const branch = `--initial-branch=${input.defaultBranch}`;
  try {
    const init = ['init', '--quiet', '--bare', '--template=', branch, draft];
    await gitPlain(forge.neutralDir, forge.neutralDir, init, { environment: { GIT_DIR: draft } });
    await rename(draft, path);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return forge.store.repositories.add({
    owner: input.owner,
    name: input.name,
    kind: 'bare',
    git_dir: realpathSync(path),
    folder: null,
    default_branch: input.defaultBranch,
    description: input.description,
  });
}

/** A user's folder can be moved or deleted at any time; without this check git would fail with an obscure error. */
export function requireOnDisk(row: RepositoryRow): void {
  if (!existsSync(row.git_dir))
    throw new ApiError(
      404,
      `The repository’s folder ${row.folder ?? row.git_dir} no longer exists.`,
    );
}

/** Finds a repository, and registers a bare one that was copied into the root as `OWNER/NAME.git`. */
export async function discover(
  forge: Forge,
  owner: string,
  name: string,
): Promise<RepositoryRow | undefined> {
  if (!isOwnerName(owner) || !isRepositoryName(name)) return undefined;
  const known = forge.store.repositories.find(owner, name);
  if (known !== undefined) return known;
  const path = barePath(forge, owner, name);
  if (!isGitDir(path)) return undefined;
  const gitDir = realpathSync(path);
  // The repository was renamed; its folder keeps the old name.
  if (forge.store.repositories.byGitDir(gitDir) !== undefined) return undefined;
  const paths = { gitDir, neutralDir: forge.neutralDir };
  const defaultBranch = await guessDefaultBranch(paths);
  // Another request may have registered it while this one waited for git.
  const raced = forge.store.repositories.find(owner, name);
  if (raced !== undefined) return raced;
  const row = forge.store.repositories.add({
    owner,
    name,
    kind: 'bare',
    git_dir: gitDir,
    folder: null,
    default_branch: defaultBranch,
    description: null,
  });
  await recordRefs(forge, row);
  return row;
}

export async function discoverAll(forge: Forge): Promise<void> {
  const owners = await readdir(forge.root, { withFileTypes: true });
  for (const owner of owners) {
    if (!owner.isDirectory() || !isOwnerName(owner.name)) continue;
    const names = await readdir(join(forge.root, owner.name));
    for (const name of names)
      if (name.endsWith('.git'))
        await discover(forge, owner.name, name.slice(0, -4)).catch((error: unknown) =>
          // An unsupported repository must not prevent the start.
          forge.log(`repository ${owner.name}/${name}: ${String(error)}`),
        );
  }
}

/** Records existing branches, so that they do not count as pushed. */
async function recordRefs(forge: Forge, row: RepositoryRow): Promise<void> {
  const tips = await refTips(pathsOf(forge, row));
  forge.store.db.transaction(() => {
    for (const [name, sha] of tips) forge.store.refs.set(row.id, name, sha);
  });
}
