import type { Place } from './environment.ts';
import { isObjectId, isValidRefName } from './ref-names.ts';
import { listRefs, readRef } from './refs.ts';
import { gitObjects, gitRefs, text } from './run.ts';

/** The commit that HEAD is at; none in a repository without commits. */
async function headCommit(place: Place): Promise<string | undefined> {
  const argv = ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'];
  const result = await gitRefs(place, argv, { answers: [0, 1, 128] });
  return result.code === 0 ? text(result).trim() : undefined;
}

/** Follows annotated tags; the object's own id when it is of the type, none when it is missing or of another. */
export async function peel(
  place: Place,
  sha: string,
  type: 'commit' | 'tree',
): Promise<string | undefined> {
  const argv = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${sha}^{${type}}`];
  const result = await gitObjects(place, argv, { answers: [0, 1, 128] });
  return result.code === 0 ? text(result).trim().split('\n').at(-1) : undefined;
}

/**
 * A branch, a tag, a full ref, an id or the beginning of one. git's revision expressions are not offered: `:/text`,
 * `@{upstream}` and options would reach into the repository further than the API does.
 */
export async function resolveCommit(place: Place, revision: string): Promise<string | undefined> {
  if (revision === 'HEAD') return headCommit(place);
  const names = [`refs/heads/${revision}`, `refs/tags/${revision}`, `refs/${revision}`, revision];
  const valid = names.filter(isValidRefName);
  const branch = valid.includes(names[0] ?? '') ? await readRef(place, names[0] ?? '') : undefined;
  if (branch !== undefined) return branch.sha;
  const refs = valid.length === 0 ? [] : await listRefs(place, ...valid);
  for (const name of valid) {
    const ref = refs.find((one) => one.name === name);
    if (ref !== undefined) return ref.type === 'commit' ? ref.sha : peel(place, ref.sha, 'commit');
  }
  if (isObjectId(revision) || /^[0-9a-f]{7,39}$/.test(revision))
    return peel(place, revision, 'commit');
  return undefined;
}

export async function mergeBase(place: Place, a: string, b: string): Promise<string | undefined> {
  const result = await gitObjects(place, ['merge-base', a, b], { answers: [0, 1] });
  return result.code === 0 ? text(result).trim().split('\n')[0] : undefined;
}

export async function isAncestor(place: Place, older: string, newer: string): Promise<boolean> {
  if (older === newer) return true;
  const argv = ['merge-base', '--is-ancestor', older, newer];
  const result = await gitObjects(place, argv, { answers: [0, 1, 128] });
  return result.code === 0;
}

export interface Distance {
  ahead: number;
  behind: number;
}

export async function distance(place: Place, base: string, head: string): Promise<Distance> {
  const argv = ['rev-list', '--count', '--left-right', `${base}...${head}`];
  const [behind, ahead] = text(await gitObjects(place, argv))
    .trim()
    .split('\t')
    .map(Number);
  return { ahead: ahead ?? 0, behind: behind ?? 0 };
}
