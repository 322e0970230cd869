/**
 * The git folder that the forge's git runs in, one for each repository: its objects and refs by links, and a
 * configuration of ours. A repository's own configuration can name programs in dozens of keys, through includes and
 * per worktree; git has no way to leave it unread, and whatever `-c` sets can be undone by a more specific key there.
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
import type { Place } from './environment.ts';
import { isForeign, objectsDir, OWN_REFS, ownDir, placeHash } from './own-store.ts';
import { readRegularFile } from './read-file.ts';
import type { RepositoryConfig } from './repository-config.ts';
import { headText, isBareRepository, linkedEntries } from './worktree-files.ts';

/** Where all views are; they are made again when they are needed. */
export function viewsDir(neutralDir: string): string {
  return join(dirname(neutralDir), 'views');
}

export function viewDir(place: Place): string {
  return join(viewsDir(place.neutralDir), placeHash(place));
}

const linked = ['packed-refs', 'shallow'];

/** Brings the view up to date. Synchronous: two requests at once must not see one half made. */
export function refreshView(
  place: Place,
  config: RepositoryConfig,
  folder: string | undefined,
): void {
  const { gitDir } = place;
  const view = viewDir(place);
  const head = headText(gitDir);
  if (head === undefined)
    throw unprocessable(`${join(gitDir, 'HEAD')} names neither a branch nor a commit.`);
  mkdirSync(join(view, 'info'), { recursive: true, mode: 0o700 });
  const isBare = isBareRepository(place, config);
  put(join(view, 'config'), configText(config, isBare));
  put(join(view, 'HEAD'), `${head}\n`);
  for (const name of linked) link(join(gitDir, name), join(view, name));
  link(objectsDir(place), join(view, 'objects'));
  linkRefs(view, place);
  link(join(gitDir, 'info/sparse-checkout'), join(view, 'info/sparse-checkout'));
  if (!isBare) makeFolder(join(gitDir, 'logs'));
  if (existsSync(join(gitDir, 'logs'))) link(join(gitDir, 'logs'), join(view, 'logs'));
  linkWorktrees(view, gitDir, isBare ? undefined : (folder ?? gitDir));
}

const isOwn = (name: string) => (OWN_REFS as readonly string[]).includes(name);

/** Branches, tags and all else that the user has, but `refs/ship` and `refs/pull` of the forge's own. */
function linkRefs(view: string, place: Place): void {
  const theirs = join(place.gitDir, 'refs');
  const refs = join(view, 'refs');
  if (!isForeign(place)) return link(theirs, refs);
  if (lstatSync(refs, { throwIfNoEntry: false })?.isSymbolicLink() === true) rmSync(refs);
  mkdirSync(refs, { recursive: true });
  const names = existsSync(theirs) ? readdirSync(theirs).filter((name) => !isOwn(name)) : [];
  // git makes no folder behind a link that leads nowhere.
  for (const name of ['heads', 'tags']) makeFolder(join(theirs, name));
  const wanted = new Set(['heads', 'tags', ...names]);
  for (const name of wanted) link(join(theirs, name), join(refs, name));
  for (const name of OWN_REFS) link(join(ownDir(place), 'refs', name), join(refs, name));
  for (const name of readdirSync(refs))
    if (!wanted.has(name) && !isOwn(name)) rmSync(join(refs, name), { recursive: true });
}

function configText(config: RepositoryConfig, isBare: boolean): string {
  const settings = [
    ['core.repositoryformatversion', '0'],
    ...(isBare ? [] : [['core.logallrefupdates', 'true']]),
    ...config.settings,
    // The working copy is one of the view's worktrees; git would otherwise look for files beside the view.
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
 * receive-pack refuses to touch a branch that a worktree has checked out. The folder's HEAD is linked, not copied: the
 * user may switch branches while a long push is under way.
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
    put(join(entry, 'gitdir'), `${join(folder, '.git')}\n`);
    put(join(entry, 'commondir'), '../..\n');
    for (const name of ['HEAD', 'rebase-merge', 'rebase-apply', 'BISECT_LOG'])
      link(join(gitDir, name), join(entry, name));
  }
  for (const name of readdirSync(worktrees))
    if (!wanted.has(name)) rmSync(join(worktrees, name), { recursive: true, force: true });
}

function put(path: string, content: string): void {
  if (readRegularFile(path) === content) return;
  // git may be reading the file.
  writeFileSync(`${path}.new`, content);
  renameSync(`${path}.new`, path);
}

/** The target need not exist: git takes a link that leads nowhere for a file that is not there, and makes the target. */
function link(target: string, path: string): void {
  const info = lstatSync(path, { throwIfNoEntry: false });
  if (info?.isSymbolicLink() === true && readlinkSync(path) === target) return;
  if (info !== undefined) rmSync(path, { recursive: true, force: true });
  symlinkSync(target, path);
}

/** A folder that cannot be written to can still be read. */
function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
  } catch {
    // git says what it cannot write.
  }
}
