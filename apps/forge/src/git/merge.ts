import type { Signature } from './commits.ts';
import type { Identity, RepositoryPaths } from './environment.ts';
import { gitObjects, text } from './run.ts';

export type MergeOutcome = { clean: true; tree: string } | { clean: false; conflicts: string[] };

/** A three-way merge of two commits, without index or working tree. */
export async function mergeTrees(
  paths: RepositoryPaths,
  ours: string,
  theirs: string,
): Promise<MergeOutcome> {
  const argv = ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages'];
  const options = ['--allow-unrelated-histories', ours, theirs];
  const result = await gitObjects(paths, [...argv, ...options], { expectedCodes: [0, 1] });
  const [tree = '', ...conflicts] = text(result)
    .split('\0')
    .map((field) => field.trim());
  if (result.code === 0) return { clean: true, tree };
  return { clean: false, conflicts: [...new Set(conflicts.filter((path) => path !== ''))] };
}

export interface NewCommit {
  tree: string;
  parents: string[];
  message: string;
  author: Identity | Signature;
  committer: Identity;
  at: Date;
}

export async function writeCommit(paths: RepositoryPaths, commit: NewCommit): Promise<string> {
  const parents = commit.parents.flatMap((sha) => ['-p', sha]);
  const argv = ['commit-tree', commit.tree, ...parents, '-F', '-'];
  const now = gitDate(commit.at);
  const authorDate = 'date' in commit.author ? gitDate(new Date(commit.author.date)) : now;
  const result = await gitObjects(paths, argv, {
    // git would truncate the message at a NUL.
    input: commit.message.replaceAll('\0', ''),
    environment: {
      GIT_AUTHOR_NAME: printable(commit.author.name),
      GIT_AUTHOR_EMAIL: printable(commit.author.email),
      GIT_AUTHOR_DATE: authorDate,
      GIT_COMMITTER_NAME: printable(commit.committer.name),
      GIT_COMMITTER_EMAIL: printable(commit.committer.email),
      GIT_COMMITTER_DATE: now,
    },
  });
  return text(result).trim();
}

export async function treeOf(paths: RepositoryPaths, commit: string): Promise<string> {
  const argv = ['rev-parse', '--verify', '--end-of-options', `${commit}^{tree}`];
  return (
    text(await gitObjects(paths, argv))
      .trim()
      .split('\n')
      .at(-1) ?? ''
  );
}

function gitDate(date: Date): string {
  return `@${Math.floor(date.getTime() / 1000)} +0000`;
}

/** git refuses an empty name; a commit written by another tool may have one. */
function printable(value: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what is removed
  const clean = value.replace(/[<>\u0000-\u001f]/g, '').trim();
  return clean === '' ? 'unknown' : clean;
}
