import { type Forge, pathsOf } from '../forge.ts';
import { noObject } from '../git/ref-names.ts';
import { refTips } from '../git/refs.ts';
import { gitRefs } from '../git/run.ts';
import { followDefaultBranch } from '../repositories/default-branch.ts';
import type { PullRow, RepositoryRow, UserRow } from '../store/rows.ts';
import { pushPayload, type RefMove } from '../webhooks/push-payload.ts';
import { emitPullEvent, factsForEvent } from './events.ts';
import type { PullFacts } from './facts.ts';
import { pullTransition, type PullTransition } from './transition.ts';
import { finishInterruptedMerges } from './intents.ts';

/** The differences between two snapshots of branches and tags. */
export function refMoves(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): RefMove[] {
  const moves: RefMove[] = [];
  for (const [ref, sha] of after) {
    const old = before.get(ref) ?? noObject;
    if (old !== sha) moves.push({ ref, before: old, after: sha });
  }
  for (const [ref, sha] of before)
    if (!after.has(ref)) moves.push({ ref, before: sha, after: noObject });
  return moves;
}

/**
 * Reconciles pull requests with git's refs: compares them with the last recorded ones, then updates, closes or marks pull
 * requests as merged and emits webhooks. Runs after every change of a ref: a push, a merge, the user's own git. After a
 * crash between a change and its consequences, the next call catches up. Callers run in the repository's queue.
 */
export async function syncRefs(
  forge: Forge,
  repository: RepositoryRow,
  sender: UserRow,
): Promise<readonly RefMove[]> {
  const paths = pathsOf(forge, repository);
  const intents = await finishInterruptedMerges(forge, repository);
  const tips = await refTips(paths);
  const moves = refMoves(forge.store.refs.of(repository.id), tips);
  if (moves.length === 0 && intents.length === 0) return moves;
  await followDefaultBranch(forge, repository, tips);
  const moved = new Set(moves.map((move) => move.ref));
  const transitions: Array<{
    pull: PullRow;
    transition: PullTransition;
    facts: PullFacts | undefined;
  }> = [];
  for (const pull of forge.store.pulls.open(repository.id)) {
    const intent = intents.find((row) => row.issue_id === pull.id);
    const transition = await pullTransition(paths, pull, tips, moved, intent);
    if (transition === undefined) continue;
    const range = { ...pull, ...transition.pull };
    // A moved base emits no event: do not run git for every open pull request.
    const facts =
      transition.action === undefined ? undefined : await factsForEvent(forge, repository, range);
    transitions.push({ pull, transition, facts });
  }
  const pushes = forge.outbox.hasSubscriber('push')
    ? await Promise.all(moves.map((move) => pushPayload(forge, repository, move, sender)))
    : [];
  await updatePullRefs(forge, repository, transitions);
  forge.store.db.transaction(() => {
    for (const { ref, after } of moves)
      if (after === noObject) forge.store.refs.remove(repository.id, ref);
      else forge.store.refs.set(repository.id, ref, after);
    if (moves.length > 0)
      forge.store.repositories.update(repository.id, { pushed_at: forge.now().toISOString() });
    for (const push of pushes) forge.outbox.emit('push', push);
    for (const { pull, transition, facts } of transitions)
      apply(forge, repository, sender, pull, transition, facts);
    for (const intent of intents) forge.store.pulls.removeIntent(intent.issue_id);
  });
  return moves;
}

function apply(
  forge: Forge,
  repository: RepositoryRow,
  sender: UserRow,
  before: PullRow,
  transition: PullTransition,
  facts: PullFacts | undefined,
): void {
  const { pulls, issues, users } = forge.store;
  const now = forge.now().toISOString();
  const by = transition.mergedBy ?? sender.id;
  pulls.update(before.id, {
    ...transition.pull,
    ...(transition.merged ? { merged_at: now, merged_by: by } : {}),
  });
  if (transition.action === 'closed') issues.update(before.id, { state: 'closed', closed_at: now });
  else if (transition.action === 'synchronize') issues.update(before.id, {});
  if (transition.action === undefined) return;
  const pull = pulls.byId(before.id);
  const range =
    transition.action === 'synchronize' ? { before: before.head_sha, after: pull.head_sha } : {};
  emitPullEvent(forge, repository, users.byId(by), pull, facts, transition.action, range);
}

/**
 * Updates `refs/pull/N/head`, as on GitHub. Clients fetch it, and it protects the commits of a merged or closed pull
 * request from pruning after its branch is deleted.
 */
export async function updatePullRefs(
  forge: Forge,
  repository: RepositoryRow,
  changed: ReadonlyArray<{ pull: PullRow; transition: Pick<PullTransition, 'pull'> }>,
): Promise<void> {
  const input = changed
    .map(
      ({ pull, transition }) =>
        `update refs/pull/${pull.number}/head\0${transition.pull.head_sha ?? pull.head_sha}\0\0`,
    )
    .join('');
  if (input === '') return;
  const argv = ['update-ref', '--no-deref', '-z', '--stdin'];
  await gitRefs(pathsOf(forge, repository), argv, { input });
}
