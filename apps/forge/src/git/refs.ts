import type { RepositoryPaths } from './environment.ts';
import { exportObjects } from './export.ts';
import { readBranchTip, readTips } from './ref-files.ts';
import { isValidRefName, noObject } from './ref-names.ts';
import { GitError, gitRefs, text } from './run.ts';

export interface Ref {
  name: string;
  sha: string;
  type: string;
}

export type RefChange =
  | { kind: 'done' }
  /** The ref changed since it was read; read it again. */
  | { kind: 'moved' }
  /** A directory/file conflict of the name, or a lock that is not released. */
  | { kind: 'refused'; reason: string };

export async function listRefs(paths: RepositoryPaths, ...prefixes: string[]): Promise<Ref[]> {
  const format = '--format=%(refname)%00%(objectname)%00%(objecttype)';
  const result = await gitRefs(paths, ['for-each-ref', format, ...prefixes]);
  return parseRefs(text(result));
}

/** Branches and tags, names and ids only. */
export async function refTips(paths: RepositoryPaths): Promise<Map<string, string>> {
  const read = readTips(paths.gitDir);
  if (read !== undefined) return read;
  const argv = ['for-each-ref', '--format=%(refname)%00%(objectname)', 'refs/heads', 'refs/tags'];
  const tips = new Map<string, string>();
  for (const line of text(await gitRefs(paths, argv)).split('\n')) {
    const [name, sha] = line.split('\0');
    if (name !== undefined && sha !== undefined) tips.set(name, sha);
  }
  return tips;
}

export async function readRef(paths: RepositoryPaths, name: string): Promise<Ref | undefined> {
  if (!isValidRefName(name)) return undefined;
  if (name.startsWith('refs/heads/')) {
    const tip = readBranchTip(paths.gitDir, name);
    // A branch always points to a commit.
    if (tip.known)
      return tip.sha === undefined ? undefined : { name, sha: tip.sha, type: 'commit' };
  }
  return (await listRefs(paths, name)).find((ref) => ref.name === name);
}

function parseRefs(output: string): Ref[] {
  const refs: Ref[] = [];
  for (const line of output.split('\n')) {
    const [name, sha, type] = line.split('\0');
    if (name !== undefined && sha !== undefined && type !== undefined)
      refs.push({ name, sha, type });
  }
  return refs;
}

/**
 * Compare and swap: `before` is the value that the caller read (`noObject` for "does not exist"). Without it concurrent
 * merges would overwrite each other.
 */
export async function changeRef(
  paths: RepositoryPaths,
  name: string,
  before: string,
  after: string,
  reason: string,
): Promise<RefChange> {
  if (!isValidRefName(name)) return { kind: 'refused', reason: 'the name is not valid' };
  const command =
    after === noObject ? `delete ${name}\0${before}\0` : `update ${name}\0${after}\0${before}\0`;
  if (after !== noObject && /^refs\/(heads|tags)\//.test(name))
    await exportObjects(paths, after, name);
  const argv = ['update-ref', '-m', `ship forge: ${reason}`, '--no-deref', '-z', '--stdin'];
  try {
    await gitRefs(paths, argv, { input: command });
    return { kind: 'done' };
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    if (
      /is at [0-9a-f]{40} but expected|reference already exists|unable to resolve reference/.test(
        error.stderr,
      )
    )
      return { kind: 'moved' };
    const cause = /(?:fatal: )?.*?cannot lock ref '[^']*': (.*)/s.exec(error.stderr)?.[1];
    return { kind: 'refused', reason: (cause ?? error.stderr).trim().split('\n')[0] ?? '' };
  }
}
