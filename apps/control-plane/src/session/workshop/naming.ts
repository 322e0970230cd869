import { namingQuestion, sessionEvent, titleFrom, wantsName } from '@ship/core';
import { renameBranch } from '../../git/index.ts';
import { gitDeps } from './git-work.ts';
import type { WorkLog, WorkshopParts, Workplace } from './parts.ts';

/** The pull request waits for its title so long at most. */
const PATIENCE_MS = 10_000;

/** Lets the small model find a title; without one, or without an answer, it stays what the prompt says. */
export async function nameSession(
  store: Pick<WorkLog, 'state' | 'record'>,
  parts: Pick<WorkshopParts, 'ask' | 'namingModel'>,
  stop: AbortSignal,
): Promise<void> {
  const { state } = store;
  if (state === undefined || state.current === null || !wantsName(state)) return;
  const model = parts.namingModel(state.model);
  if (model === null) return;
  const { text, ...used } = await parts.ask(
    state.sessionId,
    model,
    namingQuestion(state.current.text),
    AbortSignal.any([stop, AbortSignal.timeout(PATIENCE_MS)]),
  );
  // A person may have been faster, or the prompt be a title already; what it cost is told all the same.
  const now = store.state;
  const found = now !== undefined && wantsName(now) ? titleFrom(text) : null;
  const title = found === now?.title ? null : found;
  store.record([sessionEvent('session.named', { title, model, ...used })]);
}

/** A branch that nobody has seen yet gets its name of the title that was found meanwhile. */
export async function nameBranch(
  place: Workplace,
  parts: WorkshopParts,
  store: Pick<WorkLog, 'record'>,
): Promise<void> {
  const { titledBy, git } = place.state();
  if (titledBy !== 'model' || git.pushedSha !== null) return;
  await renameBranch(await gitDeps(place, parts), (events) => store.record(events));
}
