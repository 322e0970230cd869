import { fail } from '@ship/protocol';
import type { GithubApp } from './app/installation-token.ts';

/** The two forges of an installation: GitHub (or a compatible server), or the local one. */
export type ForgeKind = 'github' | 'local';

/** The configuration. A variable that is not set is null on workerd and undefined on Cloudflare. */
export interface ForgeBindings {
  /** The local forge. */
  FORGE_API_URL?: string | null;
  FORGE_GIT_URL?: string | null;
  FORGE_TOKEN?: string | null;
  /** `https://github.com` unless it is a GitHub Enterprise Server. */
  GITHUB_URL?: string | null;
  GITHUB_API_URL?: string | null;
  GITHUB_TOKEN?: string | null;
  /** An App instead of a token; a token takes precedence. */
  GITHUB_APP_ID?: string | null;
  GITHUB_APP_PRIVATE_KEY?: string | null;
  /** The token that a person set in the settings for GitHub at this address; it takes precedence over the environment's. */
  storedToken?: (forgeUrl: string) => Promise<string | null>;
}

export interface ForgeAddress {
  kind: ForgeKind;
  apiUrl: string;
  /** `gitUrl/OWNER/NAME.git` is a remote. */
  gitUrl: string;
  /** Read on each use: it may be set, changed and removed at any time. Null where there can be none. */
  stored: (() => Promise<string | null>) | null;
  /** The environment's token. Like the stored one and the App's key, it never leaves the control plane. */
  token: string | null;
  /** Used when there is no token. */
  app: GithubApp | null;
}

export interface RepositoryName {
  owner: string;
  name: string;
}

/** A repository at a forge, or a folder of this machine that must be registered with the local forge first. */
export type ForgeTarget =
  | { address: ForgeAddress; repository: RepositoryName }
  | { address: ForgeAddress; folder: string };

const GITHUB = 'https://github.com';

export function forgeAddress(kind: ForgeKind, bindings: ForgeBindings): ForgeAddress {
  if (kind === 'local') {
    const { FORGE_API_URL: apiUrl, FORGE_GIT_URL: gitUrl, FORGE_TOKEN: token } = bindings;
    if (!apiUrl || !gitUrl)
      return fail(
        'not-configured',
        'There is no local forge.',
        'Start Ship with `ship up`, or set FORGE_API_URL and FORGE_GIT_URL.',
      );
    return {
      kind,
      apiUrl: trimmed(apiUrl),
      gitUrl: trimmed(gitUrl),
      stored: null,
      token: token || null,
      app: null,
    };
  }
  const gitUrl = trimmed(bindings.GITHUB_URL || GITHUB);
  const apiUrl =
    bindings.GITHUB_API_URL || (gitUrl === GITHUB ? 'https://api.github.com' : `${gitUrl}/api/v3`);
  const { storedToken } = bindings;
  return {
    kind,
    apiUrl: trimmed(apiUrl),
    gitUrl,
    stored: storedToken === undefined ? null : () => storedToken(gitUrl),
    token: bindings.GITHUB_TOKEN || null,
    app: appOf(bindings),
  };
}

function appOf(bindings: ForgeBindings): GithubApp | null {
  const { GITHUB_APP_ID: appId, GITHUB_APP_PRIVATE_KEY: privateKey } = bindings;
  return appId && privateKey ? { appId, privateKey } : null;
}

/** The forge of a session's repository. Pure: sends no request. */
export function forgeFor(location: string, bindings: ForgeBindings): ForgeTarget {
  if (location.startsWith('/'))
    return { address: forgeAddress('local', bindings), folder: location };
  const url = parseLocation(location);
  const github = forgeAddress('github', bindings);
  for (const address of [
    ...(bindings.FORGE_GIT_URL ? [forgeAddress('local', bindings)] : []),
    github,
  ]) {
    const repository = url === null ? undefined : repositoryBelow(address, url);
    if (repository !== undefined) return { address, repository };
  }
  return fail(
    'not-configured',
    `No forge is configured for ${url?.host ?? 'this location'}.`,
    `Use a repository on ${github.gitUrl}, a folder of this machine, or set GITHUB_URL and GITHUB_API_URL.`,
  );
}

/**
 * Whether a session's repository may be the one that a forge calls `OWNER/NAME`. The local forge's names of folders are not
 * known here; GitHub's names are case-insensitive.
 */
export function mayBelongTo(location: string, fullName: string, bindings: ForgeBindings): boolean {
  try {
    const target = forgeFor(location, bindings);
    if ('folder' in target) return true;
    const { owner, name } = target.repository;
    return `${owner}/${name}`.toLowerCase() === fullName.toLowerCase();
  } catch {
    // Its forge is no longer configured.
    return false;
  }
}

/** `git@host:owner/name.git` is short for `ssh://git@host/owner/name.git`. */
function parseLocation(location: string): URL | null {
  const short = /^(?:[\w.-]+@)?([\w.-]+):(?!\/\/)([^\s]+)$/.exec(location);
  return short === null ? URL.parse(location) : URL.parse(`ssh://git@${short[1]}/${short[2]}`);
}

function repositoryBelow(address: ForgeAddress, url: URL): RepositoryName | undefined {
  const root = new URL(address.gitUrl);
  const isSame = url.protocol === 'ssh:' ? url.hostname === root.hostname : url.host === root.host;
  const prefix = root.pathname.replace(/\/$/, '');
  if (!isSame || !url.pathname.startsWith(`${prefix}/`)) return undefined;
  const match = /^\/([\w.-]+)\/([\w.-]+?)(?:\.git)?\/?$/.exec(url.pathname.slice(prefix.length));
  const [, owner, name] = match ?? [];
  if (owner === undefined || name === undefined || isDots(owner) || isDots(name)) return undefined;
  return { owner, name };
}

function isDots(part: string): boolean {
  return /^\.+$/.test(part);
}

function trimmed(url: string): string {
  return url.replace(/\/+$/, '');
}

/** The header with which git authenticates by a token; forges ignore the name. */
export function gitAuthorization(token: string): string {
  return `Basic ${btoa(`x-access-token:${token}`)}`;
}

export function gitRemote({ gitUrl }: ForgeAddress, { owner, name }: RepositoryName): string {
  return `${gitUrl}/${owner}/${name}.git`;
}
