import type { RepositoryPaths } from './environment.ts';
import { isObjectId, isValidRefName } from './ref-names.ts';
import { listRefs, readRef } from './refs.ts';
import { gitObjects, gitRefs, text } from './run.ts';

/** The commit of HEAD; undefined in a repository without commits. */
async function headCommit(paths: RepositoryPaths): Promise<string | undefined> {
  const argv = ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'];
  const result = await gitRefs(paths, argv, { expectedCodes: [0, 1, 128] });
  return result.code === 0 ? text(result).trim() : undefined;
}

/** Follows annotated tags to an object of the type; undefined when it is missing or has another type. */
export async function peel(
  paths: RepositoryPaths,
  sha: string,
  type: 'commit' | 'tree',
): Promise<string | undefined> {
  const argv = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${sha}^{${type}}`];
  const result = await gitObjects(paths, argv, { expectedCodes: [0, 1, 128] });
  return result.code === 0 ? text(result).trim().split('\n').at(-1) : undefined;
}

/**
 * Accepts a branch, a tag, a full ref, an id or an abbreviated id. git's revision expressions are not supported: `:/text`,
 * `@{upstream}` and options would expose more of the repository than the API does.
 */
export async function resolveCommit(
  paths: RepositoryPaths,
  revision: string,
): Promise<string | undefined> {
  if (revision === 'HEAD') return headCommit(paths);
  const names = [`refs/heads/${revision}`, `refs/tags/${revision}`, `refs/${revision}`, revision];
  const valid = names.filter(isValidRefName);
  const branch = valid.includes(names[0] ?? '') ? await readRef(paths, names[0] ?? '') : undefined;
  if (branch !== undefined) return branch.sha;
  const refs = valid.length === 0 ? [] : await listRefs(paths, ...valid);
  for (const name of valid) {
    const ref = refs.find((one) => one.name === name);
    if (ref !== undefined) return ref.type === 'commit' ? ref.sha : peel(paths, ref.sha, 'commit');
  }
  if (isObjectId(revision) || /^[0-9a-f]{7,39}$/.test(revision))
    return peel(paths, revision, 'commit');
  return undefined;
}

export async function mergeBase(
  paths: RepositoryPaths,
  a: string,
  b: string,
): Promise<string | undefined> {
  const result = await gitObjects(paths, ['merge-base', a, b], { expectedCodes: [0, 1] });
  return result.code === 0 ? text(result).trim().split('\n')[0] : undefined;
}

export async function isAncestor(
  paths: RepositoryPaths,
  older: string,
  newer: string,
): Promise<boolean> {
  if (older === newer) return true;
  const argv = ['merge-base', '--is-ancestor', older, newer];
  const result = await gitObjects(paths, argv, { expectedCodes: [0, 1, 128] });
  return result.code === 0;
}

export interface Distance {
  ahead: number;
  behind: number;
}

export async function distance(
  paths: RepositoryPaths,
  base: string,
  head: string,
): Promise<Distance> {
  const argv = ['rev-list', '--count', '--left-right', `${base}...${head}`];
  const [behind, ahead] = text(await gitObjects(paths, argv))
    .trim()
    .split('\t')
    .map(Number);
  return { ahead: ahead ?? 0, behind: behind ?? 0 };
}
