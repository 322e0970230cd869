import { type Forge, placeOf } from '../forge.ts';
import { listCommitIds, readCommits } from '../git/commits.ts';
import type { Identity } from '../git/environment.ts';
import { mergeTrees, writeCommit } from '../git/merge.ts';
import { rebaseCommits } from '../git/rebase.ts';
import { notMergeable } from '../http/errors.ts';
import { limits } from '../limits.ts';
import type { PullRow, RepositoryRow, UserRow } from '../store/rows.ts';
import { mergeMessage, type MessageWish, squashMessage } from './messages.ts';

export type MergeMethod = 'merge' | 'squash' | 'rebase';

/** The address is under `localhost`, which is reserved: a made-up domain might belong to somebody. */
export function identityOf(user: UserRow): Identity {
  return {
    name: user.name ?? user.login,
    email: user.email ?? `${user.login}@users.noreply.localhost`,
  };
}

/** Writes the commits of a merge and gives their tip. No ref moves yet: losing a race costs only some loose objects. */
export async function prepareMerge(
  forge: Forge,
  repository: RepositoryRow,
  pull: PullRow,
  method: MergeMethod,
  user: UserRow,
  wish: MessageWish,
): Promise<string> {
  const place = placeOf(forge, repository);
  const committer = identityOf(user);
  const at = forge.now();
  const text = {
    number: pull.number,
    title: pull.title,
    owner: repository.owner,
    headRef: pull.head_ref,
  };
  if (method === 'rebase') {
    await checkRebaseSize(forge, repository, pull);
    const outcome = await rebaseCommits(place, pull.base_sha, pull.head_sha, committer, at);
    if (!outcome.clean) throw conflicted(outcome.conflicts);
    return outcome.tip;
  }
  const merged = await mergeTrees(place, pull.base_sha, pull.head_sha);
  if (!merged.clean) throw conflicted(merged.conflicts);
  const { tree } = merged;
  if (method === 'merge') {
    const parents = [pull.base_sha, pull.head_sha];
    const message = mergeMessage(text, wish);
    return writeCommit(place, { tree, parents, message, author: committer, committer, at });
  }
  const query = {
    from: [pull.head_sha],
    without: [pull.base_sha],
    oldestFirst: true,
    noMerges: true,
  };
  const commits = await readCommits(place, (await listCommitIds(place, query)).slice(0, 250));
  const first = commits[0]?.author;
  const author = first === undefined ? committer : { name: first.name, email: first.email };
  const message = squashMessage(text, commits, wish);
  return writeCommit(place, { tree, parents: [pull.base_sha], message, author, committer, at });
}

async function checkRebaseSize(
  forge: Forge,
  repository: RepositoryRow,
  pull: PullRow,
): Promise<void> {
  const count = limits.rebaseCommits + 1;
  const query = { from: [pull.head_sha], without: [pull.base_sha], count };
  const ids = await listCommitIds(placeOf(forge, repository), query);
  if (ids.length === count)
    throw notMergeable(
      `This branch has more than ${limits.rebaseCommits} commits and cannot be rebased.`,
    );
}

function conflicted(paths: readonly string[]) {
  const shown = paths.slice(0, 5).join(', ');
  const more = paths.length > 5 ? ` and ${paths.length - 5} more` : '';
  return notMergeable(`Pull Request is not mergeable: conflicts in ${shown}${more}`);
}
