/**
 * The forge's git runs in a view of each repository: a git folder with symlinks to its objects and refs, and a generated
 * configuration. A repository's own configuration can name programs in dozens of keys, through includes and per worktree;
 * git cannot skip it, and a more specific key there overrides every `-c`.
 */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { unprocessable } from '../http/errors.ts';
import type { RepositoryPaths } from './environment.ts';
import {
  isUserRepository,
  objectsDir,
  PRIVATE_REFS,
  privateStoreDir,
  repositoryHash,
} from './private-store.ts';
import { readRegularFile } from './read-file.ts';
import type { RepositoryConfig } from './repository-config.ts';
import { headText, isBareRepository, linkedEntries } from './worktree-files.ts';

/** The folder of all views, which are rebuilt on demand. */
export function viewsDir(neutralDir: string): string {
  return join(dirname(neutralDir), 'views');
}

export function viewDir(paths: RepositoryPaths): string {
  return join(viewsDir(paths.neutralDir), repositoryHash(paths));
}

const linked = ['packed-refs', 'shallow'];

/** Updates the view. Synchronous, so that concurrent requests never see an incomplete one. */
export function refreshView(
  paths: RepositoryPaths,
  config: RepositoryConfig,
  folder: string | undefined,
): void {
  const { gitDir } = paths;
  const view = viewDir(paths);
  const head = headText(gitDir);
  if (head === undefined)
    throw unprocessable(`${join(gitDir, 'HEAD')} names neither a branch nor a commit.`);
  mkdirSync(join(view, 'info'), { recursive: true, mode: 0o700 });
  const isBare = isBareRepository(paths, config);
  writeAtomically(join(view, 'config'), configText(config, isBare));
  writeAtomically(join(view, 'HEAD'), `${head}\n`);
  for (const name of linked) link(join(gitDir, name), join(view, name));
  link(objectsDir(paths), join(view, 'objects'));
  linkRefs(view, paths);
  link(join(gitDir, 'info/sparse-checkout'), join(view, 'info/sparse-checkout'));
  if (!isBare) createFolder(join(gitDir, 'logs'));
  if (existsSync(join(gitDir, 'logs'))) link(join(gitDir, 'logs'), join(view, 'logs'));
  linkWorktrees(view, gitDir, isBare ? undefined : (folder ?? gitDir));
}

const isPrivate = (name: string) => (PRIVATE_REFS as readonly string[]).includes(name);

/** Links all namespaces of the user's refs, but `refs/ship` and `refs/pull` of the private store. */
function linkRefs(view: string, paths: RepositoryPaths): void {
  const userRefs = join(paths.gitDir, 'refs');
  const refs = join(view, 'refs');
  if (!isUserRepository(paths)) return link(userRefs, refs);
  if (lstatSync(refs, { throwIfNoEntry: false })?.isSymbolicLink() === true) rmSync(refs);
  mkdirSync(refs, { recursive: true });
  const names = existsSync(userRefs)
    ? readdirSync(userRefs).filter((name) => !isPrivate(name))
    : [];
  // git does not create a folder through a dangling symlink.
  for (const name of ['heads', 'tags']) createFolder(join(userRefs, name));
  const wanted = new Set(['heads', 'tags', ...names]);
  for (const name of wanted) link(join(userRefs, name), join(refs, name));
  for (const name of PRIVATE_REFS)
    link(join(privateStoreDir(paths), 'refs', name), join(refs, name));
  for (const name of readdirSync(refs))
    if (!wanted.has(name) && !isPrivate(name)) rmSync(join(refs, name), { recursive: true });
}

function configText(config: RepositoryConfig, isBare: boolean): string {
  const settings = [
    ['core.repositoryformatversion', '0'],
    ...(isBare ? [] : [['core.logallrefupdates', 'true']]),
    ...config.settings,
    // The working copy is one of the view's worktrees; otherwise git would look for files next to the view.
    ['core.bare', 'true'],
    ['gc.worktreepruneexpire', 'never'],
  ];
  return settings
    .map(([key = '', value = '']) => {
      const [section, name] = key.split('.');
      return `[${section}]\n\t${name} = ${value}\n`;
    })
    .join('');
}

/**
 * receive-pack refuses to update a branch that a worktree has checked out. The folder's HEAD is linked, not copied: the
 * user may switch branches during a long push.
 */
function linkWorktrees(view: string, gitDir: string, folder: string | undefined): void {
  const worktrees = join(view, 'worktrees');
  mkdirSync(worktrees, { recursive: true });
  const wanted = new Set<string>();
  for (const id of linkedEntries(gitDir)) {
    wanted.add(`linked-${id}`);
    link(join(gitDir, 'worktrees', id), join(worktrees, `linked-${id}`));
  }
  if (folder !== undefined) {
    wanted.add('folder');
    const entry = join(worktrees, 'folder');
    mkdirSync(entry, { recursive: true });
    writeAtomically(join(entry, 'gitdir'), `${join(folder, '.git')}\n`);
    writeAtomically(join(entry, 'commondir'), '../..\n');
    for (const name of ['HEAD', 'rebase-merge', 'rebase-apply', 'BISECT_LOG'])
      link(join(gitDir, name), join(entry, name));
  }
  for (const name of readdirSync(worktrees))
    if (!wanted.has(name)) rmSync(join(worktrees, name), { recursive: true, force: true });
}

function writeAtomically(path: string, content: string): void {
  if (readRegularFile(path) === content) return;
  // Atomic: git may be reading the file.
  writeFileSync(`${path}.new`, content);
  renameSync(`${path}.new`, path);
}

/** The target need not exist: git treats a dangling symlink as a missing file, and creates the target. */
function link(target: string, path: string): void {
  const info = lstatSync(path, { throwIfNoEntry: false });
  if (info?.isSymbolicLink() === true && readlinkSync(path) === target) return;
  if (info !== undefined) rmSync(path, { recursive: true, force: true });
  symlinkSync(target, path);
}

/** Ignores errors: a read-only repository can still be read. */
function createFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
  } catch {
    // git reports what it cannot write.
  }
}
