import type { SessionStore } from '../session-store.ts';
import { cloneRepository } from './git-work.ts';
import type { RepositoryFacts, TurnPlace, WorkshopParts } from './parts.ts';
import { isDone, runStage } from './stages.ts';
import { type Survey, readSurvey, surveyRepository, surveyScript } from './survey.ts';

/** What the settings and the repository itself say of it. */
export type Found = RepositoryFacts & Survey;

/** Answers with what was found in it; null in a sandbox that has had its agent, where nothing of that is asked again. */
export async function bringIn(
  place: TurnPlace,
  parts: WorkshopParts,
  store: SessionStore,
): Promise<Found | null> {
  if (isDone(store, 'agent')) return null;
  const asking = parts.repository(place.state().repository);
  asking.catch(() => undefined);
  let told: string | undefined;
  if (!isDone(store, 'clone')) {
    const arrival = asking.then(({ setupCommand }) => {
      return { ...surveyScript(setupCommand ?? ''), told: (said: string) => (told = said) };
    });
    arrival.catch(() => undefined);
    await runStage(store, 'clone', async () =>
      store.record(await cloneRepository(place, parts, arrival)),
    );
  }
  const facts = await asking;
  // It was looked at as it came, unless it came in another way.
  const survey =
    told === undefined ? await surveyRepository(place, facts.setupCommand ?? '') : readSurvey(told);
  return { ...facts, ...survey };
}
