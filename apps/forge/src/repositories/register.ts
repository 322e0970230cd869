import { existsSync, realpathSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { type Forge, placeOf } from '../forge.ts';
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

/** Serves a folder of the user. The same folder again gives the same repository. */
export async function registerFolder(forge: Forge, wish: Registration): Promise<RepositoryRow> {
  const found = await inspectFolder(forge, wish.path);
  const known = forge.store.repositories.byGitDir(found.gitDir);
  const owner = wish.owner ?? known?.owner ?? forge.options.login;
  const name = wish.name ?? known?.name ?? freeName(forge, owner, found);
  if (known !== undefined) {
    if (
      known.owner.toLowerCase() === owner.toLowerCase() &&
      known.name.toLowerCase() === name.toLowerCase()
    )
      return known;
    throw unprocessable(`${wish.path} is registered already, as ${known.owner}/${known.name}.`);
  }
  checkNames(forge, owner, name);
  const place = { ...found, neutralDir: forge.neutralDir };
  const row = forge.store.repositories.add({
    owner,
    name,
    kind: found.folder === null ? 'bare' : 'folder',
    git_dir: found.gitDir,
    folder: found.folder,
    default_branch: wish.defaultBranch ?? (await guessDefaultBranch(place)),
    description: null,
  });
  await rememberRefs(forge, row);
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
 * Two folders of one name, such as `work/app` and `private/app`, are two repositories: the second one is called after the
 * folder above it too, and gets a number when that is taken as well.
 */
function freeName(
  forge: Forge,
  owner: string,
  { folder, gitDir }: { folder: string | null; gitDir: string },
): string {
  const path = folder ?? gitDir;
  // A repository below the forge's own folder has its name already, and does not take it from itself.
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

/** `own` is the git folder of a repository that is renamed: back to what its folder is called is no collision. */
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

/** A new bare repository; made beside its place and renamed, so that a crash leaves all of it or nothing. */
export async function createBare(forge: Forge, wish: NewBare): Promise<RepositoryRow> {
  checkNames(forge, wish.owner, wish.name);
  const path = barePath(forge, wish.owner, wish.name);
  const draft = join(forge.neutralDir, `new-${randomUUID()}.git`);
  await mkdir(join(forge.root, wish.owner), { recursive: true });
  const branch = `--initial-branch=${wish.defaultBranch}`;
  try {
    const init = ['init', '--quiet', '--bare', '--template=', branch, draft];
    await gitPlain(forge.neutralDir, forge.neutralDir, init, { environment: { GIT_DIR: draft } });
    await rename(draft, path);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return forge.store.repositories.add({
    owner: wish.owner,
    name: wish.name,
    kind: 'bare',
    git_dir: realpathSync(path),
    folder: null,
    default_branch: wish.defaultBranch,
    description: wish.description,
  });
}

/** A folder of the user can be moved or deleted at any time; the answer says so instead of failing somewhere inside. */
export function requireOnDisk(row: RepositoryRow): void {
  if (!existsSync(row.git_dir))
    throw new ApiError(404, `The repository’s folder ${row.folder ?? row.git_dir} is gone.`);
}

/** A bare repository that somebody put into the root: `OWNER/NAME.git`. */
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
  // It was renamed, and its folder has the old name.
  if (forge.store.repositories.byGitDir(gitDir) !== undefined) return undefined;
  const place = { gitDir, neutralDir: forge.neutralDir };
  const defaultBranch = await guessDefaultBranch(place);
  // Another request may have found it while this one asked git.
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
  await rememberRefs(forge, row);
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
          // One that cannot be served must not keep the forge from starting.
          forge.log(`repository ${owner.name}/${name}: ${String(error)}`),
        );
  }
}

/** Branches that are there before the forge knows the repository are no news. */
async function rememberRefs(forge: Forge, row: RepositoryRow): Promise<void> {
  const tips = await refTips(placeOf(forge, row));
  forge.store.db.transaction(() => {
    for (const [name, sha] of tips) forge.store.refs.set(row.id, name, sha);
  });
}
