import type { Repository } from '@ship/protocol';
import type { ShipClient } from '@ship/protocol/client';
import { Failure } from '../failure.ts';
import { fromUsersFolder } from '../where.ts';

/** By its id, its name, its location as it is stored, or a path relative to where the user is. */
export async function findRepository(client: ShipClient, given: string): Promise<Repository> {
  const { repositories } = await client.repositories();
  const path = fromUsersFolder(given);
  const matching = repositories.filter(
    ({ repositoryId, name, location }) =>
      repositoryId === given || name === given || location === given || location === path,
  );
  const [only] = matching;
  if (only !== undefined && matching.length === 1) return only;
  throw new Failure(
    matching.length === 0
      ? `there is no repository ${given}`
      : `${matching.length} repositories are called ${given}`,
    'ship repo ls lists them with their ids.',
  );
}
