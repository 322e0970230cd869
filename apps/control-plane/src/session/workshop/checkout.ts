import type { SessionStore } from '../session-store.ts';
import { cloneRepository, moveToNewestBase } from './git-work.ts';
import type { RepositoryFacts, TurnPlace, WorkshopParts } from './parts.ts';
import { isDone, runStage } from './stages.ts';
import {
  type DetectedProject,
  parseDetection,
  detectProject,
  detectionScript,
} from './detect-project.ts';

/** The settings of a repository and what was detected in it. */
export type Found = RepositoryFacts & DetectedProject;

/**
 * Returns what was detected in the repository; null in a sandbox that already had its agent, where nothing of it is needed
 * again.
 */
export async function checkOutRepository(
  place: TurnPlace,
  parts: WorkshopParts,
  store: SessionStore,
): Promise<Found | null> {
  if (isDone(store, 'agent')) return null;
  const loading = parts.repository(place.state().repository);
  loading.catch(() => undefined);
  let output: string | undefined;
  let isChanged = false;
  if (isDone(store, 'clone') && isUntouched(place)) {
    const events = await moveToNewestBase(place, parts);
    store.record(events);
    isChanged = events.length > 0;
  }
  if (!isDone(store, 'clone')) {
    const arrival = loading.then(({ setupCommand }) => {
      return {
        ...detectionScript(setupCommand ?? ''),
        onOutput: (text: string) => (output = text),
      };
    });
    arrival.catch(() => undefined);
    await runStage(store, 'clone', async () =>
      store.record(await cloneRepository(place, parts, arrival)),
    );
  }
  const facts = await loading;
  // The clone script runs the detection, unless the repository arrived in another way.
  const project =
    output === undefined
      ? await detectProject(place, facts.setupCommand ?? '')
      : parseDetection(output);
  // The agent, started meanwhile, may have read the files of the old commit.
  return { ...facts, ...project, isMissed: project.isMissed || isChanged };
}

/** The clone is from an earlier attempt that got no further than the setup: it contains no work of the session. */
function isUntouched({ state }: TurnPlace): boolean {
  const { agent, git, stages } = state();
  const isSetUp = stages.some(({ stage, error }) => stage === 'setup' && error === null);
  return !isSetUp && agent.turn === null && git.commitCount === 0 && git.checkpoint === null;
}
