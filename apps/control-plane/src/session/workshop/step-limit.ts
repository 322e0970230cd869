import type { Bench, WorkshopParts } from './parts.ts';

/** The agent's steps in this turn: the session's own limit, else the repository's, else that of the settings. */
export async function stepLimit(
  { state, settings }: Pick<Bench, 'state' | 'settings'>,
  parts: Pick<WorkshopParts, 'repository'>,
): Promise<number> {
  const { maxStepsPerTurn, repository } = state();
  if (maxStepsPerTurn !== null) return maxStepsPerTurn;
  const facts = await parts.repository(repository);
  return facts.maxStepsPerTurn ?? settings.limits.maxStepsPerTurn;
}
