import type { Forge } from '../forge.ts';
import type { PullRow, RepositoryRow, UserRow } from '../store/rows.ts';
import { emitAction } from '../webhooks/events.ts';
import { type PullFacts, pullFacts, type PullRange } from './facts.ts';
import { pullJson } from './to-json.ts';

/** Asks git beforehand, because a transaction cannot wait; nothing when nobody listens. */
export async function factsToAnnounce(
  forge: Forge,
  repository: RepositoryRow,
  range: PullRange,
): Promise<PullFacts | undefined> {
  return forge.outbox.wants('pull_request') ? pullFacts(forge, repository, range) : undefined;
}

/** Tells of a change to a pull request, in the transaction that makes it: a crash loses both or neither. */
export function announce(
  forge: Forge,
  repository: RepositoryRow,
  sender: UserRow,
  pull: PullRow,
  facts: PullFacts | undefined,
  action: string,
  extra: Record<string, unknown> = {},
): void {
  if (facts === undefined) return;
  emitAction(forge, repository, sender, 'pull_request', action, {
    number: pull.number,
    ...extra,
    pull_request: pullJson(forge, repository, pull, facts),
  });
}
