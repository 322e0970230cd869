import { type Forge, pathsOf } from '../forge.ts';
import { type Commit, listCommitIds, readCommits } from '../git/commits.ts';
import { diffSummary, emptyTree } from '../git/diff.ts';
import { noObject } from '../git/ref-names.ts';
import { isAncestor, peel } from '../git/revisions.ts';
import { limits } from '../limits.ts';
import { repositoryHtmlUrl, repositoryJson } from '../repositories/to-json.ts';
import type { RepositoryRow, UserRow } from '../store/rows.ts';
import { userJson } from '../users/to-json.ts';

export interface RefMove {
  ref: string;
  /** `noObject` for a new ref. */
  before: string;
  /** `noObject` for a deleted ref. */
  after: string;
}

export async function pushPayload(
  forge: Forge,
  repository: RepositoryRow,
  move: RefMove,
  sender: UserRow,
) {
  const paths = pathsOf(forge, repository);
  const created = move.before === noObject;
  const deleted = move.after === noObject;
  const before = created ? undefined : await peel(paths, move.before, 'commit');
  const after = deleted ? undefined : await peel(paths, move.after, 'commit');
  const forced =
    before !== undefined && after !== undefined && !(await isAncestor(paths, before, after));
  const commits =
    after === undefined ? [] : await pushedCommits(forge, repository, move, before, after);
  const html = repositoryHtmlUrl(forge, repository);
  return {
    ref: move.ref,
    before: move.before,
    after: move.after,
    base_ref: null,
    created,
    deleted,
    forced,
    compare: `${html}/compare/${move.before.slice(0, 12)}...${move.after.slice(0, 12)}`,
    commits,
    head_commit: commits.at(-1) ?? null,
    repository: {
      ...repositoryJson(forge, repository),
      // Unlike all other events, push events have these times in seconds.
      created_at: Math.floor(Date.parse(repository.created_at) / 1000),
      pushed_at: Math.floor(Date.parse(repository.pushed_at) / 1000),
    },
    pusher: { name: sender.login, email: sender.email },
    sender: userJson(forge, sender),
  };
}

async function pushedCommits(
  forge: Forge,
  repository: RepositoryRow,
  move: RefMove,
  before: string | undefined,
  after: string,
) {
  const paths = pathsOf(forge, repository);
  const known = [...forge.store.refs.of(repository.id)].filter(([name]) => name !== move.ref);
  const without = before === undefined ? known.map(([, sha]) => sha).slice(0, 200) : [before];
  const query = { from: [after], without, count: limits.pushedCommits };
  const commits = await readCommits(paths, (await listCommitIds(paths, query)).toReversed());
  // A branch at an existing commit has no new commits, but the event includes its head.
  if (commits.length === 0) commits.push(...(await readCommits(paths, [after])));
  return Promise.all(commits.map((commit) => pushedCommit(forge, repository, commit)));
}

async function pushedCommit(forge: Forge, repository: RepositoryRow, commit: Commit) {
  const parent = commit.parents[0] ?? emptyTree;
  const files = await diffSummary(pathsOf(forge, repository), parent, commit.sha);
  const paths = (...statuses: string[]) =>
    files.filter((file) => statuses.includes(file.status)).map((file) => file.path);
  const renamed = files.flatMap((file) =>
    file.status === 'renamed' ? [file.previousPath ?? ''] : [],
  );
  return {
    id: commit.sha,
    tree_id: commit.tree,
    distinct: true,
    message: commit.message,
    timestamp: commit.committer.date,
    url: `${repositoryHtmlUrl(forge, repository)}/commit/${commit.sha}`,
    author: commit.author,
    committer: commit.committer,
    added: paths('added', 'renamed', 'copied'),
    removed: [...paths('removed'), ...renamed],
    modified: paths('modified', 'changed'),
  };
}
