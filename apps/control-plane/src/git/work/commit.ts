import { type Person, sessionEvent } from '@ship/core';
import { type SessionEvent, type SkippedFile, TurnId } from '@ship/protocol';
import type { RepositoryView } from './view.ts';

export interface People {
  /** The person who asked for the work: commits are theirs. */
  author: Person;
  /** Ship's account at the forge. */
  committer: Person;
  agent: Person;
}

export async function commitTree(
  view: RepositoryView,
  treeSha: string,
  parents: readonly string[],
  message: string,
  people: Pick<People, 'author' | 'committer'>,
): Promise<string> {
  const argv = ['commit-tree', ...commitArgs(treeSha, parents, message)];
  return view.text(argv, { env: identities(people) });
}

export function commitArgs(treeSha: string, parents: readonly string[], message: string) {
  return [treeSha, ...parents.flatMap((sha) => ['-p', sha]), '-m', message];
}

export function identities({ author, committer }: Pick<People, 'author' | 'committer'>) {
  return {
    GIT_AUTHOR_NAME: plain(author.name),
    GIT_AUTHOR_EMAIL: plain(author.email),
    GIT_COMMITTER_NAME: plain(committer.name),
    GIT_COMMITTER_EMAIL: plain(committer.email),
  };
}

/** git drops these characters from names, and fails for a name of nothing else. */
function plain(text: string): string {
  return text.replaceAll(/[<>\p{Cc}]/gu, ' ').trim() || 'unknown';
}

const MAX_COMMITS = 50;
const MAX_LOG_BYTES = 200_000;
const FIELDS = '%x1e%H%x00%P%x00%(trailers:key=Ship-Turn,valueonly,separator=%x2C)%x00%s%x00';

/** Arguments of `git log`, up to its commits. */
export const COMMIT_LOG = [
  'log',
  '--first-parent',
  `-n${MAX_COMMITS}`,
  '--shortstat',
  '--no-ext-diff',
  '--no-textconv',
  `--format=${FIELDS}`,
  // After a restore from an amended branch, the known commit may be missing from the sandbox.
  '--ignore-missing',
] as const;

/**
 * The session's commits since the known one, oldest first: Ship's, the agent's own, and those of a delivery that was
 * interrupted before it could record them. Excludes what was merged from elsewhere.
 */
export async function newCommits(
  view: RepositoryView,
  known: string | null,
  head: string,
  skippedBy: ReadonlyMap<string, SkippedFile[]>,
  ofTurn: TurnId | null = null,
): Promise<SessionEvent[]> {
  const argv = [...COMMIT_LOG, head, ...(known === null ? [] : [`^${known}`]), '--'];
  const { text } = await view.bounded(argv, MAX_LOG_BYTES);
  return parseCommits(text, skippedBy, ofTurn);
}

/** Parses such a log. `ofTurn`: the turn of commits that do not name one, because the agent made them itself. */
export function parseCommits(
  text: string,
  skippedBy: ReadonlyMap<string, SkippedFile[]>,
  ofTurn: TurnId | null,
): SessionEvent[] {
  return text
    .split('\x1e')
    .filter((record) => record.trim() !== '')
    .toReversed()
    .map((record) => commitEvent(record, skippedBy, ofTurn));
}

function commitEvent(
  record: string,
  skippedBy: ReadonlyMap<string, SkippedFile[]>,
  ofTurn: TurnId | null,
): SessionEvent {
  const [sha = '', parents = '', turn = '', subject = '', figures = ''] = record.split('\0');
  const turnId = TurnId.safeParse(turn.split(',')[0]?.trim());
  const number = (pattern: RegExp) => Number(pattern.exec(figures)?.[1] ?? 0);
  return sessionEvent('commit.made', {
    sha,
    parentSha: parents.split(' ')[0] || null,
    message: subject.slice(0, 500),
    turnId: turnId.success ? turnId.data : ofTurn,
    changedFiles: number(/(\d+) files? changed/),
    additions: number(/(\d+) insertions?\(/),
    deletions: number(/(\d+) deletions?\(/),
    skipped: skippedBy.get(sha) ?? [],
  });
}

export const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
