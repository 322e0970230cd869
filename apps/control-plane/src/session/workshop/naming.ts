import { titlePrompt, sessionEvent, parseTitle, needsTitle } from '@ship/core';
import { renameBranch } from '../../git/index.ts';
import { gitDeps } from './git-work.ts';
import type { WorkLog, WorkshopParts, Workplace } from './parts.ts';

/** The longest that the pull request waits for its title. */
const TITLE_TIMEOUT_MS = 10_000;

/** Asks the small model for a title; without a model or an answer, the title from the prompt stays. */
export async function nameSession(
  store: Pick<WorkLog, 'state' | 'record'>,
  parts: Pick<WorkshopParts, 'ask' | 'namingModel'>,
  stop: AbortSignal,
): Promise<void> {
  const { state } = store;
  if (state === undefined || state.current === null || !needsTitle(state)) return;
  const model = parts.namingModel(state.model);
  if (model === null) return;
  const { text, ...used } = await parts.ask(
    state.sessionId,
    model,
    titlePrompt(state.current.text),
    AbortSignal.any([stop, AbortSignal.timeout(TITLE_TIMEOUT_MS)]),
  );
  // A person may have been faster, or the prompt may already be a title; the cost is recorded anyway.
  const now = store.state;
  const found = now !== undefined && needsTitle(now) ? parseTitle(text) : null;
  const title = found === now?.title ? null : found;
  store.record([sessionEvent('session.named', { title, model, ...used })]);
}

/** Renames a branch that was not pushed yet after the new title. */
export async function nameBranch(
  place: Workplace,
  parts: WorkshopParts,
  store: Pick<WorkLog, 'record'>,
): Promise<void> {
  const { titledBy, git } = place.state();
  if (titledBy !== 'model' || git.pushedSha !== null) return;
  await renameBranch(await gitDeps(place, parts), (events) => store.record(events));
}
