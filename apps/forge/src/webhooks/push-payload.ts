import { type Forge, placeOf } from '../forge.ts';
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
  /** `noObject` when the ref is new or gone. */
  before: string;
  after: string;
}

export async function pushPayload(
  forge: Forge,
  repository: RepositoryRow,
  move: RefMove,
  sender: UserRow,
) {
  const place = placeOf(forge, repository);
  const created = move.before === noObject;
  const deleted = move.after === noObject;
  const before = created ? undefined : await peel(place, move.before, 'commit');
  const after = deleted ? undefined : await peel(place, move.after, 'commit');
  const forced =
    before !== undefined && after !== undefined && !(await isAncestor(place, before, after));
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
      // A push event gives these two as seconds, unlike everything else.
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
  const place = placeOf(forge, repository);
  const known = [...forge.store.refs.of(repository.id)].filter(([name]) => name !== move.ref);
  const without = before === undefined ? known.map(([, sha]) => sha).slice(0, 200) : [before];
  const query = { from: [after], without, count: limits.pushedCommits };
  const commits = await readCommits(place, (await listCommitIds(place, query)).toReversed());
  // A branch made at an existing commit has no new commits, yet its head is told.
  if (commits.length === 0) commits.push(...(await readCommits(place, [after])));
  return Promise.all(commits.map((commit) => pushedCommit(forge, repository, commit)));
}

async function pushedCommit(forge: Forge, repository: RepositoryRow, commit: Commit) {
  const parent = commit.parents[0] ?? emptyTree;
  const files = await diffSummary(placeOf(forge, repository), parent, commit.sha);
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
