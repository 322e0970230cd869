import type { RepositoryPaths } from './environment.ts';
import { gitObjects, text } from './run.ts';

export interface Signature {
  name: string;
  email: string;
  /** ISO 8601 in UTC, as in GitHub's API. */
  date: string;
}

export interface Commit {
  sha: string;
  tree: string;
  parents: string[];
  author: Signature;
  committer: Signature;
  message: string;
}

export interface LogQuery {
  /** Reachable from these … */
  from: string[];
  /** … and not from these. */
  without?: string[];
  skip?: number;
  count?: number;
  path?: string;
  author?: string;
  since?: string;
  until?: string;
  oldestFirst?: boolean;
  noMerges?: boolean;
  /** Only descendants of `without`. */
  descendants?: boolean;
}

export async function listCommitIds(paths: RepositoryPaths, query: LogQuery): Promise<string[]> {
  const argv = ['--literal-pathspecs', 'rev-list', '--topo-order'];
  if (query.skip !== undefined && query.skip > 0) argv.push(`--skip=${query.skip}`);
  if (query.count !== undefined) argv.push(`--max-count=${query.count}`);
  if (query.author !== undefined) argv.push('--fixed-strings', `--author=${query.author}`);
  if (query.since !== undefined) argv.push(`--since=${query.since}`);
  if (query.until !== undefined) argv.push(`--until=${query.until}`);
  if (query.oldestFirst === true) argv.push('--reverse');
  if (query.noMerges === true) argv.push('--no-merges');
  if (query.descendants === true) argv.push('--ancestry-path');
  argv.push(...query.from, ...(query.without ?? []).map((sha) => `^${sha}`), '--');
  if (query.path !== undefined) argv.push(query.path);
  const result = await gitObjects(paths, argv);
  return text(result)
    .split('\n')
    .filter((line) => line !== '');
}

/** Reads all commits with one git process, in the given order; skips ids that are not commits. */
export async function readCommits(
  paths: RepositoryPaths,
  shas: readonly string[],
): Promise<Commit[]> {
  if (shas.length === 0) return [];
  const result = await gitObjects(paths, ['cat-file', '--batch'], {
    input: `${shas.join('\n')}\n`,
  });
  return parseBatch(result.stdout)
    .filter((entry) => entry.type === 'commit')
    .map((entry) => parseCommit(entry.sha, entry.body.toString('utf8')));
}

export async function readCommit(paths: RepositoryPaths, sha: string): Promise<Commit | undefined> {
  return (await readCommits(paths, [sha]))[0];
}

interface BatchEntry {
  sha: string;
  type: string;
  body: Buffer;
}

/** Parses `git cat-file --batch`: a header line, a body of the given length, a newline; or one line "… missing". */
export function parseBatch(output: Buffer): BatchEntry[] {
  const entries: BatchEntry[] = [];
  let at = 0;
  while (at < output.length) {
    const end = output.indexOf(0x0a, at);
    if (end < 0) break;
    const [sha, type, size] = output.toString('utf8', at, end).split(' ');
    at = end + 1;
    if (sha === undefined || type === undefined || size === undefined) continue;
    entries.push({ sha, type, body: output.subarray(at, at + Number(size)) });
    at += Number(size) + 1;
  }
  return entries;
}

export function parseCommit(sha: string, raw: string): Commit {
  const split = raw.indexOf('\n\n');
  const header = split < 0 ? raw : raw.slice(0, split);
  const unknown: Signature = { name: '', email: '', date: new Date(0).toISOString() };
  const commit: Commit = {
    sha,
    tree: '',
    parents: [],
    author: unknown,
    committer: unknown,
    message: split < 0 ? '' : raw.slice(split + 2).replace(/\n+$/, ''),
  };
  for (const line of header.split('\n')) {
    const space = line.indexOf(' ');
    const value = line.slice(space + 1);
    // A continuation line (of a signature) starts with a space, so its key is empty.
    const key = line.slice(0, space);
    if (key === 'tree') commit.tree = value;
    else if (key === 'parent') commit.parents.push(value);
    else if (key === 'author') commit.author = parseSignature(value);
    else if (key === 'committer') commit.committer = parseSignature(value);
  }
  return commit;
}

export function parseSignature(line: string): Signature {
  const match = /^(.*?) ?<([^>]*)>(?: (-?\d+) [+-]\d{4})?/.exec(line);
  const seconds = Number(match?.[3] ?? 0);
  // A commit may claim a year that Date cannot represent; it must not break the whole list.
  const date = Math.abs(seconds) < 8e11 ? new Date(seconds * 1000) : new Date(0);
  return {
    name: match?.[1] ?? '',
    email: match?.[2] ?? '',
    date: date.toISOString().replace(/\.\d{3}Z$/, 'Z'),
  };
}
