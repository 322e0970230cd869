import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface KeptToken {
  url: string;
  login: string;
  token: string;
}

const GITHUB = 'https://github.com';

/** Where GitHub is for whoever has this environment. */
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

export function keepToken(dataFolder: string, kept: KeptToken): void {
  const file = fileOf(dataFolder);
  mkdirSync(join(dataFolder, 'secrets'), { recursive: true, mode: 0o700 });
  // Written beside and renamed: a crash leaves the old one or the new one.
  writeFileSync(`${file}.new`, JSON.stringify(kept), { mode: 0o600, flush: true });
  renameSync(`${file}.new`, file);
}

/** Undefined when nobody signed in, or at another server: a token goes to nobody but whoever gave it. */
export function readToken(dataFolder: string, url: string): KeptToken | undefined {
  try {
    const kept: unknown = JSON.parse(readFileSync(fileOf(dataFolder), 'utf8'));
    return isKept(kept) && kept.url === url ? kept : undefined;
  } catch {
    return undefined;
  }
}

export function forgetToken(dataFolder: string): void {
  rmSync(fileOf(dataFolder), { force: true });
}

function isKept(value: unknown): value is KeptToken {
  const kept = (value ?? {}) as Record<keyof KeptToken, unknown>;
  return [kept.url, kept.login, kept.token].every((one) => typeof one === 'string' && one !== '');
}
