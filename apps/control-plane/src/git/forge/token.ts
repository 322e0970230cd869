import type { ForgeAddress, RepositoryName } from './address.ts';
import { installationToken } from './app/installation-token.ts';

/** What opens a repository at its forge: the configured token, or one that the App gets for it. Asked anew for each use. */
export async function repositoryToken(
  address: ForgeAddress,
  repository: RepositoryName,
  fetcher: typeof fetch,
): Promise<string | null> {
  if (address.token !== null || address.app === null) return address.token;
  return installationToken(address, address.app, repository, fetcher);
}
