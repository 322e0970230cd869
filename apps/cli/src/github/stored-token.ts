import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface StoredToken {
  url: string;
  login: string;
  token: string;
}

const GITHUB = 'https://github.com';

/** GitHub's URL in this environment. */
export function githubUrl(env: NodeJS.ProcessEnv): string {
  return (env.GITHUB_URL || GITHUB).replace(/\/+$/, '');
}

export function githubApiUrl(url: string, env: NodeJS.ProcessEnv): string {
  if (env.GITHUB_API_URL) return env.GITHUB_API_URL.replace(/\/+$/, '');
  return url === GITHUB ? 'https://api.github.com' : `${url}/api/v3`;
}

function fileOf(dataFolder: string): string {
  return join(dataFolder, 'secrets', 'github.json');
}

export function storeToken(dataFolder: string, kept: StoredToken): void {
  const file = fileOf(dataFolder);
  mkdirSync(join(dataFolder, 'secrets'), { recursive: true, mode: 0o700 });
  // Written to a temporary file and renamed: a crash leaves the old or the new one.
  writeFileSync(`${file}.new`, JSON.stringify(kept), { mode: 0o600, flush: true });
  renameSync(`${file}.new`, file);
}

/** Undefined without a sign-in, or with one at another server: a token is sent only to the server that issued it. */
export function readToken(dataFolder: string, url: string): StoredToken | undefined {
  try {
    const kept: unknown = JSON.parse(readFileSync(fileOf(dataFolder), 'utf8'));
    return isKept(kept) && kept.url === url ? kept : undefined;
  } catch {
    return undefined;
  }
}

export function deleteToken(dataFolder: string): void {
  rmSync(fileOf(dataFolder), { force: true });
}

function isKept(value: unknown): value is StoredToken {
  const kept = (value ?? {}) as Record<keyof StoredToken, unknown>;
  return [kept.url, kept.login, kept.token].every((one) => typeof one === 'string' && one !== '');
}
