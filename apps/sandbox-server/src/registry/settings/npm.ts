import { join } from 'node:path';

import { Credentials, registryUrl, takeUserInfo } from '../credentials.ts';
import { mayContainSecret } from '../secret-url.ts';
import { parseIni } from './ini.ts';
import type { SettingsSource } from './source.ts';

export const NPMJS = 'https://registry.npmjs.org/';

/**
 * The registry's name in lock files. One whose address may contain a token gets the name of npm's public registry, which npm
 * replaces by the configured one, inside a sandbox and outside.
 */
export const nameInLockFile = (registry: URL): URL =>
  mayContainSecret(registry) ? new URL(NPMJS) : registry;

export interface NpmSettings {
  registry: URL;
  /** By scope, with its `@`. */
  scopes: ReadonlyMap<string, URL>;
  credentials: Credentials;
}

/** npm's own order, lowest first; a project's file does not belong to the owner and is never read. */
export function npmFiles({ home, environment }: SettingsSource): string[] {
  const user = variable(environment, 'userconfig') ?? join(home, '.npmrc');
  const global = variable(environment, 'globalconfig');
  return [...(global === undefined ? ['/usr/local/etc/npmrc', '/etc/npmrc'] : [global]), user];
}

function variable(environment: SettingsSource['environment'], name: string): string | undefined {
  return environment[`npm_config_${name}`] ?? environment[`NPM_CONFIG_${name.toUpperCase()}`];
}

export function readNpmSettings(source: SettingsSource): NpmSettings {
  const values = new Map<string, string>();
  const expand = (text: string): string =>
    text.replaceAll(
      /\$\{([^}?]+)\??\}/g,
      (whole, name: string) => source.environment[name] ?? whole,
    );
  for (const file of npmFiles(source)) {
    for (const { section, key, value } of parseIni(source.read(file) ?? ''))
      if (section === '') values.set(expand(key), expand(value));
  }
  const credentials = new Credentials();
  const bare = (text: string | undefined): URL | undefined => {
    const url = text === undefined ? undefined : registryUrl(text);
    return url === undefined ? undefined : takeUserInfo(url, credentials);
  };
  const chosen = variable(source.environment, 'registry') ?? values.get('registry');
  const registry = bare(chosen) ?? new URL(NPMJS);
  const scopes = new Map<string, URL>();
  for (const [key, value] of values) {
    const scope = /^(@[^:/]+):registry$/.exec(key)?.[1];
    const url = scope === undefined ? undefined : bare(value);
    if (scope !== undefined && url !== undefined) scopes.set(scope.toLowerCase(), url);
  }
  for (const url of [registry, ...scopes.values()]) addCredentials(url, values, credentials);
  return { registry, scopes, credentials };
}

/** `//host/path/:_authToken=…`, looked up like npm: the registry's own path first, then its parents. */
function addCredentials(
  url: URL,
  values: ReadonlyMap<string, string>,
  credentials: Credentials,
): void {
  for (let path = url.pathname; ; path = path.replace(/[^/]+\/$/, '')) {
    const scope = new URL(path, url);
    const key = (name: string): string | undefined =>
      values.get(`//${url.host}${path}:${name}`) ??
      values.get(`//${url.host}${path.replace(/\/$/, '')}:${name}`);
    const token = key('_authToken');
    const basic = key('_auth');
    const user = key('username');
    const password = key('_password');
    if (token !== undefined) return credentials.add(scope, `Bearer ${token}`);
    if (basic !== undefined) return credentials.add(scope, `Basic ${basic}`);
    if (user !== undefined && password !== undefined) {
      const clear = Buffer.from(password, 'base64').toString('utf8');
      return credentials.addBasic(scope, user, clear);
    }
    if (path === '/') return;
  }
}
