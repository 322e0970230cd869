import { type ForgeCheck, ShipFailure, shipError } from '@ship/protocol';
import * as z from 'zod';
import { operatorFetch } from '../../platform/outbound.ts';
import type { ForgeAddress } from './address.ts';
import { appSlug } from './app/installation-token.ts';
import { forgeFailure, httpFailure } from './failures.ts';
import { octokitFor } from './octokit.ts';
import { givenToken } from './token.ts';

/** A person waits for the answer. */
const DEADLINE_MS = 10_000;

const User = z.object({ login: z.string().min(1) });

/** The account that the configured credential gives access to, or why it is refused. Never contains the credential. */
export async function checkForge(
  address: ForgeAddress,
  fetcher: typeof fetch = operatorFetch,
): Promise<ForgeCheck> {
  const host = new URL(address.gitUrl).host;
  // Other failures, such as a token that cannot be decrypted, pass through unchanged.
  const token = await givenToken(address);
  const deadline = AbortSignal.timeout(DEADLINE_MS);
  const bounded: typeof fetch = (input, init) => fetcher(input, { ...init, signal: deadline });
  try {
    return { state: 'accepted', login: await loginOf({ ...address, token }, bounded) };
  } catch (error) {
    if (httpFailure(error)?.status === 401)
      return {
        state: 'refused',
        error: shipError(
          'credentials-refused',
          `${host} does not accept this token: it is wrong, revoked or has expired.`,
          `Copy the whole token, or create a new one at ${address.gitUrl}/settings/personal-access-tokens.`,
        ),
      };
    if (error instanceof ShipFailure && error.error.code === 'misconfigured')
      return { state: 'refused', error: error.error };
    return {
      state: 'unknown',
      error: shipError(
        forgeFailure(error).error.code,
        `Ship could not check its access at ${host}.`,
        `Check that Ship can reach ${address.apiUrl}, then check again.`,
      ),
    };
  }
}

async function loginOf(address: ForgeAddress, fetcher: typeof fetch): Promise<string> {
  if (address.token === null && address.app !== null)
    return `${await appSlug(address, address.app, fetcher)}[bot]`;
  const { data } = await octokitFor(address, { fetcher }).rest.users.getAuthenticated();
  return User.parse(data).login;
}
