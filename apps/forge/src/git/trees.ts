import type { RepositoryPaths } from './environment.ts';
import { limits } from '../limits.ts';
import { GitError, gitObjects, text } from './run.ts';

export interface TreeEntry {
  mode: string;
  type: 'blob' | 'tree' | 'commit';
  sha: string;
  size?: number;
  path: string;
}

/** The output of `git ls-tree -z -l`. */
export function parseTree(output: string): TreeEntry[] {
  const entries: TreeEntry[] = [];
  for (const record of output.split('\0')) {
    const match = /^(\d{6}) (blob|tree|commit) ([0-9a-f]{40}) +(\d+|-)\t(.*)$/s.exec(record);
    const [, mode, type, sha, size, path] = match ?? [];
    if (mode === undefined || sha === undefined || path === undefined) continue;
    const entry: TreeEntry = { mode, type: type as TreeEntry['type'], sha, path };
    entries.push(size === '-' ? entry : { ...entry, size: Number(size) });
  }
  return entries;
}

export async function readTree(
  paths: RepositoryPaths,
  tree: string,
  recursive: boolean,
): Promise<{ entries: TreeEntry[]; truncated: boolean }> {
  const argv = ['ls-tree', '-z', '-l', ...(recursive ? ['-r', '-t'] : []), tree];
  const entries = parseTree(text(await gitObjects(paths, argv)));
  return {
    entries: entries.slice(0, limits.treeEntries),
    truncated: entries.length > limits.treeEntries,
  };
}

/** Finds one entry by its literal path from the root, never by a pattern. */
export async function findEntry(
  paths: RepositoryPaths,
  tree: string,
  path: string,
): Promise<TreeEntry | undefined> {
  const argv = ['--literal-pathspecs', 'ls-tree', '-z', '-l', '--full-tree', tree, '--', path];
  const entries = parseTree(text(await gitObjects(paths, argv)));
  return entries.find((entry) => entry.path === path);
}

/** Rejects empty, `.`, `..` and `.git` segments. */
export function isTreePath(path: string): boolean {
  if (path === '' || path.includes('\0') || Buffer.byteLength(path) > 4096) return false;
  return path
    .split('/')
    .every((part) => part !== '' && part !== '.' && part !== '..' && part.toLowerCase() !== '.git');
}

export async function readBlob(paths: RepositoryPaths, sha: string): Promise<Buffer | undefined> {
  try {
    const argv = ['cat-file', 'blob', sha];
    const result = await gitObjects(paths, argv, { maxBytes: limits.blobBytes });
    return result.truncated ? undefined : result.stdout;
  } catch (error) {
    if (error instanceof GitError) return undefined;
    throw error;
  }
}

export async function writeBlob(paths: RepositoryPaths, content: Buffer): Promise<string> {
  const argv = ['hash-object', '-w', '--no-filters', '-t', 'blob', '--stdin'];
  return text(await gitObjects(paths, argv, { input: content })).trim();
}
