import { createAppAuth } from '@octokit/auth-app';
import { fail, ShipFailure, shipError } from '@ship/protocol';
import * as z from 'zod';
import type { ForgeAddress, RepositoryName } from '../address.ts';
import { forgeFailure, httpFailure } from '../failures.ts';
import { type Octokit, octokitFor } from '../octokit.ts';
import { pkcs8 } from './pkcs8.ts';

export interface GithubApp {
  appId: string;
  privateKey: string;
}

interface Known {
  token: string;
  expiresAtMs: number;
}

/** Tokens are renewed before they expire: an operation that starts with one, such as a push, must be able to finish. */
const RENEW_BEFORE_MS = 5 * 60_000;
const MAX_KNOWN = 500;
/**
 * Caches values, never promises: in Workers all objects of an isolate share this, and an object that awaits another's request
 * hangs. `auth-app` shares the promises of its installation tokens, so only the App's own token (a JWT) comes from it.
 */
const known = new Map<string, Known>();

const App = z.object({ slug: z.string().min(1) });
const NEEDED = ['contents', 'pull_requests'] as const;

/** The App's token for this one repository, valid for an hour at most; it gives no access to others. */
export async function installationToken(
  address: ForgeAddress,
  app: GithubApp,
  { owner, name }: RepositoryName,
  fetcher: typeof fetch,
  nowMs = Date.now(),
): Promise<string> {
  const key = `${address.apiUrl} ${app.appId} ${owner}/${name}`.toLowerCase();
  const found = known.get(key);
  if (found !== undefined && found.expiresAtMs - RENEW_BEFORE_MS > nowMs) return found.token;
  const fresh = await makeToken(await appOctokit(address, app, fetcher), { owner, name });
  known.delete(key);
  known.set(key, fresh);
  const oldest = known.keys().next().value;
  if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest);
  return fresh.token;
}

/** A client that authenticates as the App itself. */
async function appOctokit(
  address: ForgeAddress,
  { appId, privateKey }: GithubApp,
  fetcher: typeof fetch,
): Promise<Octokit> {
  const jwt = await createAppAuth({ appId, privateKey: pkcs8(privateKey) })({ type: 'app' }).catch(
    () =>
      fail(
        'misconfigured',
        'The private key of the GitHub App cannot be read.',
        'Set GITHUB_APP_PRIVATE_KEY to the whole .pem file that GitHub gave, with its first and last line.',
      ),
  );
  return octokitFor({ ...address, token: jwt.token, app: null }, { fetcher });
}

/** The App's own name; its bot has the same name. */
export async function appSlug(
  address: ForgeAddress,
  app: GithubApp,
  fetcher: typeof fetch,
): Promise<string> {
  const octokit = await appOctokit(address, app, fetcher);
  try {
    return App.parse((await octokit.rest.apps.getAuthenticated()).data).slug;
  } catch (error) {
    throw httpFailure(error)?.status === 401 ? unknownApp() : error;
  }
}

async function makeToken(octokit: Octokit, { owner, name }: RepositoryName): Promise<Known> {
  try {
    const { data: installation } = await octokit.rest.apps.getRepoInstallation({
      owner,
      repo: name,
    });
    const { data } = await octokit.rest.apps.createInstallationAccessToken({
      installation_id: installation.id,
      repositories: [name],
    });
    const granted: Record<string, unknown> = data.permissions ?? {};
    const missing = NEEDED.filter((permission) => granted[permission] !== 'write');
    if (missing.length > 0)
      fail(
        'misconfigured',
        `The GitHub App may not write ${missing.join(' and ').replace('_', ' ')} of ${owner}/${name}.`,
        'Give the App Contents: write and Pull requests: write, and ask the owner of the repository to accept it.',
      );
    return { token: data.token, expiresAtMs: Date.parse(data.expires_at) };
  } catch (error) {
    throw installationFailure(error, `${owner}/${name}`);
  }
}

function installationFailure(error: unknown, repository: string): ShipFailure {
  if (error instanceof ShipFailure) return error;
  const status = httpFailure(error)?.status;
  if (status === 401) return unknownApp();
  if (status === 404 || status === 422)
    return misconfigured(
      `The GitHub App is not installed on ${repository}.`,
      `Install the App for ${repository} (its settings, “Install App”), or choose another repository.`,
    );
  if (status === 403)
    return misconfigured(
      `The installation of the GitHub App on ${repository} is suspended.`,
      'Ask the owner of the repository to lift it under Settings, GitHub Apps.',
    );
  return forgeFailure(error);
}

function unknownApp(): ShipFailure {
  return misconfigured(
    'GitHub does not know the App, or the key belongs to another one.',
    'Set GITHUB_APP_ID and GITHUB_APP_PRIVATE_KEY to those of the same App, and check the machine’s clock.',
  );
}

function misconfigured(message: string, remedy: string): ShipFailure {
  return new ShipFailure(shipError('misconfigured', message, remedy));
}
