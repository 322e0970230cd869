import type { Forge } from '../forge.ts';
import type { PullRow, RepositoryRow, UserRow } from '../store/rows.ts';
import { emitAction } from '../webhooks/events.ts';
import { type PullFacts, pullFacts, type PullRange } from './facts.ts';
import { pullJson } from './to-json.ts';

/** Reads the facts from git before the transaction, which is synchronous. Undefined when no webhook needs them. */
export async function factsForEvent(
  forge: Forge,
  repository: RepositoryRow,
  range: PullRange,
): Promise<PullFacts | undefined> {
  return forge.outbox.hasSubscriber('pull_request')
    ? pullFacts(forge, repository, range)
    : undefined;
}

/** Emits a webhook event within the transaction of the change, so that a crash loses both or neither. */
export function emitPullEvent(
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
