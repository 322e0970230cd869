import type { Repository } from '@ship/protocol';
import type { ShipClient } from '@ship/protocol/client';
import { Failure } from '../failure.ts';
import { resolveUserPath } from '../paths.ts';

/** Finds a repository by its id, its name, its stored location, or a path relative to the user's folder. */
export async function findRepository(client: ShipClient, given: string): Promise<Repository> {
  const { repositories } = await client.repositories();
  const path = resolveUserPath(given);
  const matching = repositories.filter(
    ({ repositoryId, name, location }) =>
      repositoryId === given || name === given || location === given || location === path,
  );
  const [only] = matching;
  if (only !== undefined && matching.length === 1) return only;
  throw new Failure(
    matching.length === 0
      ? `there is no repository ${given}`
      : `${matching.length} repositories match ${given}`,
    'ship repo ls lists them with their ids.',
  );
}
