import { type Forge, placeOf } from '../forge.ts';
import { noObject } from '../git/ref-names.ts';
import { refTips } from '../git/refs.ts';
import { gitRefs } from '../git/run.ts';
import { followDefaultBranch } from '../repositories/default-branch.ts';
import type { PullRow, RepositoryRow, UserRow } from '../store/rows.ts';
import { pushPayload, type RefMove } from '../webhooks/push-payload.ts';
import { announce, factsToAnnounce } from './announce.ts';
import type { PullFacts } from './facts.ts';
import { judgePull, type Verdict } from './judge.ts';
import { settleIntents } from './intents.ts';

/** What changed between two pictures of the branches and tags. */
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
 * Compares git's refs with the ones last told of, and draws the conclusions: pull requests move, close or turn out to be
 * merged; webhooks tell of it. Everything that changes a ref ends here: a push, a merge, the user's own git, and a crash
 * between a change and its consequences, which the next call makes up for. Callers hold the repository's lane.
 */
export async function syncRefs(
  forge: Forge,
  repository: RepositoryRow,
  sender: UserRow,
): Promise<readonly RefMove[]> {
  const place = placeOf(forge, repository);
  const intents = await settleIntents(forge, repository);
  const tips = await refTips(place);
  const moves = refMoves(forge.store.refs.of(repository.id), tips);
  if (moves.length === 0 && intents.length === 0) return moves;
  await followDefaultBranch(forge, repository, tips);
  const moved = new Set(moves.map((move) => move.ref));
  const verdicts: Array<{ pull: PullRow; verdict: Verdict; facts: PullFacts | undefined }> = [];
  for (const pull of forge.store.pulls.open(repository.id)) {
    const intent = intents.find((row) => row.issue_id === pull.id);
    const verdict = await judgePull(place, pull, tips, moved, intent);
    if (verdict === undefined) continue;
    const range = { ...pull, ...verdict.pull };
    // When only the base moved on nothing is told, and git is not asked about every open pull request.
    const facts =
      verdict.action === undefined ? undefined : await factsToAnnounce(forge, repository, range);
    verdicts.push({ pull, verdict, facts });
  }
  const pushes = forge.outbox.wants('push')
    ? await Promise.all(moves.map((move) => pushPayload(forge, repository, move, sender)))
    : [];
  await keepHeads(forge, repository, verdicts);
  forge.store.db.transaction(() => {
    for (const { ref, after } of moves)
      if (after === noObject) forge.store.refs.remove(repository.id, ref);
      else forge.store.refs.set(repository.id, ref, after);
    if (moves.length > 0)
      forge.store.repositories.update(repository.id, { pushed_at: forge.now().toISOString() });
    for (const push of pushes) forge.outbox.emit('push', push);
    for (const { pull, verdict, facts } of verdicts)
      apply(forge, repository, sender, pull, verdict, facts);
    for (const intent of intents) forge.store.pulls.removeIntent(intent.issue_id);
  });
  return moves;
}

function apply(
  forge: Forge,
  repository: RepositoryRow,
  sender: UserRow,
  before: PullRow,
  verdict: Verdict,
  facts: PullFacts | undefined,
): void {
  const { pulls, issues, users } = forge.store;
  const now = forge.now().toISOString();
  const by = verdict.mergedBy ?? sender.id;
  pulls.update(before.id, {
    ...verdict.pull,
    ...(verdict.merged ? { merged_at: now, merged_by: by } : {}),
  });
  if (verdict.action === 'closed') issues.update(before.id, { state: 'closed', closed_at: now });
  else if (verdict.action === 'synchronize') issues.update(before.id, {});
  if (verdict.action === undefined) return;
  const pull = pulls.byId(before.id);
  const range =
    verdict.action === 'synchronize' ? { before: before.head_sha, after: pull.head_sha } : {};
  announce(forge, repository, users.byId(by), pull, facts, verdict.action, range);
}

/**
 * `refs/pull/N/head` as GitHub has it. Clients fetch it, and it keeps the commits of a merged or closed pull request
 * from being pruned once its branch is gone.
 */
export async function keepHeads(
  forge: Forge,
  repository: RepositoryRow,
  changed: ReadonlyArray<{ pull: PullRow; verdict: Pick<Verdict, 'pull'> }>,
): Promise<void> {
  const input = changed
    .map(
      ({ pull, verdict }) =>
        `update refs/pull/${pull.number}/head\0${verdict.pull.head_sha ?? pull.head_sha}\0\0`,
    )
    .join('');
  if (input === '') return;
  const argv = ['update-ref', '--no-deref', '-z', '--stdin'];
  await gitRefs(placeOf(forge, repository), argv, { input });
}
