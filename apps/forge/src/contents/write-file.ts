import { type Forge, placeOf } from '../forge.ts';
import { type Commit, readCommit } from '../git/commits.ts';
import { editTree } from '../git/edit-tree.ts';
import type { Place } from '../git/environment.ts';
import { writeCommit } from '../git/merge.ts';
import { branchRef, isValidBranchName, noObject } from '../git/ref-names.ts';
import { readRef } from '../git/refs.ts';
import { findEntry, type TreeEntry, writeBlob } from '../git/trees.ts';
import type { ForgeContext } from '../http/context.ts';
import { ApiError, conflict, notFound, unprocessable } from '../http/errors.ts';
import { identityOf } from '../pulls/prepare-merge.ts';
import { changeBranch } from '../refs/change.ts';

interface Signer {
  name: string;
  email: string;
  date?: string | undefined;
}

export interface FileWish {
  path: string;
  /** Null removes the file. */
  content: Buffer | null;
  /** What the client saw there; undefined when it saw no file. */
  sha: string | undefined;
  message: string;
  branch: string | undefined;
  author: Signer | undefined;
  committer: Signer | undefined;
}

export interface WrittenFile {
  commit: Commit;
  branch: string;
  /** Null after a removal. */
  entry: TreeEntry | null;
  isNew: boolean;
}

const maxTries = 5;

/** One file changed by one commit on a branch. When the branch moves meanwhile it is done again on what is there then. */
export async function writeFile(
  forge: Forge,
  c: ForgeContext,
  wish: FileWish,
): Promise<WrittenFile> {
  const repository = c.get('repository');
  const place = placeOf(forge, repository);
  const branch = wish.branch ?? repository.default_branch;
  const ref = branchRef(branch);
  const blob = wish.content === null ? null : await writeBlob(place, wish.content);
  for (let attempt = 1; ; attempt += 1) {
    const before = isValidBranchName(branch) ? (await readRef(place, ref))?.sha : undefined;
    // Only the first file of a repository makes a branch.
    if (before === undefined && branch !== repository.default_branch)
      throw new ApiError(404, `Branch ${branch} not found`);
    const known = before === undefined ? undefined : await knownEntry(place, before, wish);
    if (before === undefined || known === undefined) refuseMissing(wish);
    const mode = known?.mode ?? '100644';
    const tree = await editTree(place, before, [{ path: wish.path, mode, sha: blob }]);
    const commit = await commitOn(forge, c, place, { wish, tree, before });
    try {
      await changeBranch(forge, c, ref, before ?? noObject, commit.sha);
    } catch (error) {
      const now = (await readRef(place, ref))?.sha;
      if (!(error instanceof ApiError) || now === before || attempt === maxTries) throw error;
      continue;
    }
    const entry =
      blob === null
        ? null
        : {
            mode,
            type: 'blob' as const,
            sha: blob,
            size: wish.content?.length ?? 0,
            path: wish.path,
          };
    return { commit, branch, entry, isNew: known === undefined };
  }
}

/** The file that is there, if it is the one that the client saw. */
async function knownEntry(
  place: Place,
  commit: string,
  { path, sha }: FileWish,
): Promise<TreeEntry | undefined> {
  const parts = path.split('/');
  for (let depth = 1; depth < parts.length; depth += 1) {
    const parent = await findEntry(place, commit, parts.slice(0, depth).join('/'));
    if (parent === undefined) return undefined;
    if (parent.type !== 'tree')
      throw unprocessable(`path contains a file where a folder has to be: ${parent.path}`);
  }
  const entry = await findEntry(place, commit, path);
  if (entry === undefined) return undefined;
  if (entry.type !== 'blob') throw unprocessable(`${path} is not a file`);
  if (sha === undefined) throw unprocessable('Invalid request.\n\n"sha" wasn\'t supplied.');
  if (sha !== entry.sha) throw conflict(`${path} does not match ${sha}`);
  return entry;
}

function refuseMissing({ path, content, sha }: FileWish): void {
  if (content === null) throw notFound();
  if (sha !== undefined) throw conflict(`${path} does not match ${sha}`);
}

async function commitOn(
  forge: Forge,
  c: ForgeContext,
  place: Place,
  { wish, tree, before }: { wish: FileWish; tree: string; before: string | undefined },
): Promise<Commit> {
  const committer = wish.committer ?? identityOf(c.get('actor').user);
  const author = wish.author ?? committer;
  const now = forge.now();
  const sha = await writeCommit(place, {
    tree,
    parents: before === undefined ? [] : [before],
    message: wish.message,
    author: { ...author, date: wish.author?.date ?? wish.committer?.date ?? now.toISOString() },
    committer,
    at: wish.committer?.date === undefined ? now : new Date(wish.committer.date),
  });
  const commit = await readCommit(place, sha);
  if (commit === undefined) throw new Error(`the commit ${sha} cannot be read back`);
  return commit;
}
