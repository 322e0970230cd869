import type { SessionStore } from '../session-store.ts';
import { cloneRepository, takeNewestBase } from './git-work.ts';
import type { RepositoryFacts, TurnPlace, WorkshopParts } from './parts.ts';
import { isDone, runStage } from './stages.ts';
import {
  type DetectedProject,
  parseDetection,
  detectProject,
  detectionScript,
} from './detect-project.ts';

/** What the settings and the repository itself say of it. */
export type Found = RepositoryFacts & DetectedProject;

/** Answers with what was found in it; null in a sandbox that has had its agent, where nothing of that is asked again. */
export async function checkOutRepository(
  place: TurnPlace,
  parts: WorkshopParts,
  store: SessionStore,
): Promise<Found | null> {
  if (isDone(store, 'agent')) return null;
  const asking = parts.repository(place.state().repository);
  asking.catch(() => undefined);
  let told: string | undefined;
  let isChanged = false;
  if (isDone(store, 'clone') && isUntouched(place)) {
    const events = await takeNewestBase(place, parts);
    store.record(events);
    isChanged = events.length > 0;
  }
  if (!isDone(store, 'clone')) {
    const arrival = asking.then(({ setupCommand }) => {
      return { ...detectionScript(setupCommand ?? ''), told: (said: string) => (told = said) };
    });
    arrival.catch(() => undefined);
    await runStage(store, 'clone', async () =>
      store.record(await cloneRepository(place, parts, arrival)),
    );
  }
  const facts = await asking;
  // It was looked at as it came, unless it came in another way.
  const project =
    told === undefined
      ? await detectProject(place, facts.setupCommand ?? '')
      : parseDetection(told);
  // The agent, started meanwhile, may have read the files of the old commit.
  return { ...facts, ...project, isMissed: project.isMissed || isChanged };
}

/** The clone is of an earlier attempt, which got no further than the setup: nothing in it is work of the session. */
function isUntouched({ state }: TurnPlace): boolean {
  const { agent, git, stages } = state();
  const isSetUp = stages.some(({ stage, error }) => stage === 'setup' && error === null);
  return !isSetUp && agent.turn === null && git.commitCount === 0 && git.checkpoint === null;
}
