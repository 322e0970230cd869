import { type Forge, pathsOf } from '../forge.ts';
import { listCommitIds, readCommits } from '../git/commits.ts';
import type { Identity } from '../git/environment.ts';
import { mergeTrees, writeCommit } from '../git/merge.ts';
import { rebaseCommits } from '../git/rebase.ts';
import { notMergeable } from '../http/errors.ts';
import { limits } from '../limits.ts';
import type { PullRow, RepositoryRow, UserRow } from '../store/rows.ts';
import { mergeMessage, type MessageInput, squashMessage } from './messages.ts';

export type MergeMethod = 'merge' | 'squash' | 'rebase';

/** The email domain is the reserved `localhost`: an invented domain might exist. */
export function identityOf(user: UserRow): Identity {
  return {
    name: user.name ?? user.login,
    email: user.email ?? `${user.login}@users.noreply.localhost`,
  };
}

/** Writes the commits of a merge and returns their tip. No ref moves yet: losing a race costs only loose objects. */
export async function prepareMerge(
  forge: Forge,
  repository: RepositoryRow,
  pull: PullRow,
  method: MergeMethod,
  user: UserRow,
  input: MessageInput,
): Promise<string> {
  const paths = pathsOf(forge, repository);
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
    const outcome = await rebaseCommits(paths, pull.base_sha, pull.head_sha, committer, at);
    if (!outcome.clean) throw conflictError(outcome.conflicts);
    return outcome.tip;
  }
  const merged = await mergeTrees(paths, pull.base_sha, pull.head_sha);
  if (!merged.clean) throw conflictError(merged.conflicts);
  const { tree } = merged;
  if (method === 'merge') {
    const parents = [pull.base_sha, pull.head_sha];
    const message = mergeMessage(text, input);
    return writeCommit(paths, { tree, parents, message, author: committer, committer, at });
  }
  const query = {
    from: [pull.head_sha],
    without: [pull.base_sha],
    oldestFirst: true,
    noMerges: true,
  };
  const commits = await readCommits(paths, (await listCommitIds(paths, query)).slice(0, 250));
  const first = commits[0]?.author;
  const author = first === undefined ? committer : { name: first.name, email: first.email };
  const message = squashMessage(text, commits, input);
  return writeCommit(paths, { tree, parents: [pull.base_sha], message, author, committer, at });
}

async function checkRebaseSize(
  forge: Forge,
  repository: RepositoryRow,
  pull: PullRow,
): Promise<void> {
  const count = limits.rebaseCommits + 1;
  const query = { from: [pull.head_sha], without: [pull.base_sha], count };
  const ids = await listCommitIds(pathsOf(forge, repository), query);
  if (ids.length === count)
    throw notMergeable(
      `This branch has more than ${limits.rebaseCommits} commits and cannot be rebased.`,
    );
}

function conflictError(paths: readonly string[]) {
  const shown = paths.slice(0, 5).join(', ');
  const more = paths.length > 5 ? ` and ${paths.length - 5} more` : '';
  return notMergeable(`Pull Request is not mergeable: conflicts in ${shown}${more}`);
}
