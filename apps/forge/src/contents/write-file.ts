import { type Forge, pathsOf } from '../forge.ts';
import { type Commit, readCommit } from '../git/commits.ts';
import { editTree } from '../git/edit-tree.ts';
import type { RepositoryPaths } from '../git/environment.ts';
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

export interface FileInput {
  path: string;
  /** Null deletes the file. */
  content: Buffer | null;
  /** The blob that the client expects; undefined when it expects no file. */
  sha: string | undefined;
  message: string;
  branch: string | undefined;
  author: Signer | undefined;
  committer: Signer | undefined;
}

export interface WrittenFile {
  commit: Commit;
  branch: string;
  /** Null after a deletion. */
  entry: TreeEntry | null;
  isNew: boolean;
}

const maxTries = 5;

/** Changes one file with one commit on a branch. When the branch moves in the meantime, retries on the new tip. */
export async function writeFile(
  forge: Forge,
  c: ForgeContext,
  input: FileInput,
): Promise<WrittenFile> {
  const repository = c.get('repository');
  const paths = pathsOf(forge, repository);
  const branch = input.branch ?? repository.default_branch;
  const ref = branchRef(branch);
  const blob = input.content === null ? null : await writeBlob(paths, input.content);
  for (let attempt = 1; ; attempt += 1) {
    const before = isValidBranchName(branch) ? (await readRef(paths, ref))?.sha : undefined;
    // Only the first file of a repository creates a branch.
    if (before === undefined && branch !== repository.default_branch)
      throw new ApiError(404, `Branch ${branch} not found`);
    const known = before === undefined ? undefined : await knownEntry(paths, before, input);
    if (before === undefined || known === undefined) refuseMissing(input);
    const mode = known?.mode ?? '100644';
    const tree = await editTree(paths, before, [{ path: input.path, mode, sha: blob }]);
    const commit = await commitOn(forge, c, paths, { input, tree, before });
    try {
      await changeBranch(forge, c, ref, before ?? noObject, commit.sha);
    } catch (error) {
      const now = (await readRef(paths, ref))?.sha;
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
            size: input.content?.length ?? 0,
            path: input.path,
          };
    return { commit, branch, entry, isNew: known === undefined };
  }
}

/** The existing file; throws when it is not the one that the client expects. */
async function knownEntry(
  paths: RepositoryPaths,
  commit: string,
  { path, sha }: FileInput,
): Promise<TreeEntry | undefined> {
  const parts = path.split('/');
  for (let depth = 1; depth < parts.length; depth += 1) {
    const parent = await findEntry(paths, commit, parts.slice(0, depth).join('/'));
    if (parent === undefined) return undefined;
    if (parent.type !== 'tree')
      throw unprocessable(`path contains a file where a folder is required: ${parent.path}`);
  }
  const entry = await findEntry(paths, commit, path);
  if (entry === undefined) return undefined;
  if (entry.type !== 'blob') throw unprocessable(`${path} is not a file`);
  if (sha === undefined) throw unprocessable('Invalid request.\n\n"sha" wasn\'t supplied.');
  if (sha !== entry.sha) throw conflict(`${path} does not match ${sha}`);
  return entry;
}

function refuseMissing({ path, content, sha }: FileInput): void {
  if (content === null) throw notFound();
  if (sha !== undefined) throw conflict(`${path} does not match ${sha}`);
}

async function commitOn(
  forge: Forge,
  c: ForgeContext,
  paths: RepositoryPaths,
  { input, tree, before }: { input: FileInput; tree: string; before: string | undefined },
): Promise<Commit> {
  const committer = input.committer ?? identityOf(c.get('actor').user);
  const author = input.author ?? committer;
  const now = forge.now();
  const sha = await writeCommit(paths, {
    tree,
    parents: before === undefined ? [] : [before],
    message: input.message,
    author: { ...author, date: input.author?.date ?? input.committer?.date ?? now.toISOString() },
    committer,
    at: input.committer?.date === undefined ? now : new Date(input.committer.date),
  });
  const commit = await readCommit(paths, sha);
  if (commit === undefined) throw new Error(`the commit ${sha} cannot be read back`);
  return commit;
}
