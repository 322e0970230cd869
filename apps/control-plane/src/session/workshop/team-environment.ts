import { type TeamEnvironment, choosePreparation, environmentScript } from '@ship/core';
import { AGENT_SHELL_FILE } from '../../agent/port.ts';
import type { ArtifactStore } from '../../artifacts/index.ts';
import { sessionArtifact } from '../artifact-key.ts';
import type { Found } from './checkout.ts';
import type { TurnPlace } from './parts.ts';
import { factsOf } from './setup.ts';
import { inventoryOf } from './detect-project.ts';

const NAME = 'environment.json';

/**
 * The environment that the team's files describe, as of the checkout; null where they describe nothing. Later turns read it
 * from the session's artifacts, not from the sandbox: an agent that edits devcontainer.json must not change how its work is
 * verified.
 */
export async function teamOf(
  place: TurnPlace,
  artifacts: ArtifactStore,
  found: Found | null,
): Promise<TeamEnvironment | null> {
  const key = sessionArtifact(place.state().sessionId, NAME);
  if (found === null) {
    const stored = await artifacts.get(key);
    // Written below, by this version or an earlier one.
    return stored === undefined ? null : await new Response(stored.body).json<TeamEnvironment>();
  }
  const { team } = choosePreparation(factsOf(place, found));
  if (team.rows.length === 0) return null;
  await artifacts.put(key, new TextEncoder().encode(JSON.stringify(team)), 'application/json');
  return team;
}

/**
 * Adds the programs that the repository's own commands see. The detection that comes with a clone runs with git's narrow
 * `PATH`: only where files require tools is a second run worth its time.
 */
export async function withPrograms(place: TurnPlace, found: Found | null): Promise<Found | null> {
  if (found === null || choosePreparation(factsOf(place, found)).team.rows.length === 0)
    return found;
  return { ...found, ...(await inventoryOf(place)) };
}

/** The same place with the environment for every command of the repository; the agent's shells get it too. */
export async function inTeamEnvironment(
  place: TurnPlace,
  team: TeamEnvironment | null,
): Promise<TurnPlace> {
  const environment = team === null ? '' : environmentScript(team);
  if (environment === '') return place;
  await place.port.writeFile(place.sandboxId, AGENT_SHELL_FILE, environment);
  return { ...place, environment };
}
