import type { ForgeAddress, RepositoryName } from './address.ts';
import { installationToken } from './app/installation-token.ts';

/** The credential for a repository at its forge: a token, or one that the App issues. Read on each use. */
export async function repositoryToken(
  address: ForgeAddress,
  repository: RepositoryName,
  fetcher: typeof fetch,
): Promise<string | null> {
  const token = await givenToken(address);
  if (token !== null || address.app === null) return token;
  return installationToken(address, address.app, repository, fetcher);
}

/** The configured token: the one from the settings takes precedence over the environment's. */
export async function givenToken({ stored, token }: ForgeAddress): Promise<string | null> {
  return (await stored?.()) ?? token;
}
