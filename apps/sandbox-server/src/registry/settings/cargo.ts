import { join } from 'node:path';

import { parse } from 'smol-toml';
import { z } from 'zod';

import { Credentials, registryUrl, takeUserInfo } from '../credentials.ts';
import type { SettingsSource } from './source.ts';

const CRATES_IO = 'https://index.crates.io/';
const MAX_REPLACEMENTS = 8;

export interface CargoRegistry {
  /** Its name in configuration and lock files; undefined for crates.io. */
  index: string | undefined;
  url: URL;
}
export interface CargoSettings {
  /** By the name in the gateway's path. */
  registries: ReadonlyMap<string, CargoRegistry>;
  credentials: Credentials;
}

const optionalText = z.string().optional().catch(undefined);
const configSchema = z.object({
  source: z
    .record(z.string(), z.object({ registry: optionalText, 'replace-with': optionalText }))
    .catch({}),
  registries: z
    .record(z.string(), z.object({ index: optionalText, token: optionalText }))
    .catch({}),
});
type CargoConfig = z.output<typeof configSchema>;

export function cargoFiles({ home, environment }: SettingsSource): string[] {
  const folder = environment['CARGO_HOME'] ?? join(home, '.cargo');
  return ['config', 'config.toml', 'credentials', 'credentials.toml'].map((name) =>
    join(folder, name),
  );
}

function readConfig(text: string | undefined): CargoConfig {
  const nothing: CargoConfig = { source: {}, registries: {} };
  if (text === undefined) return nothing;
  try {
    return configSchema.safeParse({ source: {}, registries: {}, ...parse(text) }).data ?? nothing;
  } catch {
    // cargo itself would refuse this file; the gateway continues with the other registries.
    return nothing;
  }
}

/** Sparse indexes only: one in a git repository is fetched by git, not through this gateway. */
function sparseUrl(index: string | undefined, credentials: Credentials): URL | undefined {
  const url = index?.startsWith('sparse+') === true ? registryUrl(index.slice(7)) : undefined;
  return url === undefined ? undefined : takeUserInfo(url, credentials);
}

export function readCargoSettings(source: SettingsSource): CargoSettings {
  const credentials = new Credentials();
  const config: CargoConfig = { source: {}, registries: {} };
  for (const file of cargoFiles(source)) {
    const found = readConfig(source.read(file));
    Object.assign(config.source, found.source);
    for (const [name, registry] of Object.entries(found.registries))
      config.registries[name] = { ...config.registries[name], ...withoutUndefined(registry) };
  }
  const registries = new Map<string, CargoRegistry>();
  let name = 'crates-io';
  for (let step = 0; step < MAX_REPLACEMENTS; step += 1)
    name = config.source[name]?.['replace-with'] ?? name;
  const replaced = config.source[name]?.registry ?? config.registries[name]?.index;
  const url = name === 'crates-io' ? new URL(CRATES_IO) : sparseUrl(replaced, credentials);
  if (url !== undefined) registries.set('crates-io', { index: undefined, url });
  for (const [key, { index, token }] of Object.entries(config.registries)) {
    const own = sparseUrl(index, credentials);
    if (own === undefined || index === undefined || !/^[\w-]{1,64}$/.test(key)) continue;
    registries.set(key, { index: `sparse+${own.href}`, url: own });
    const variable = `CARGO_REGISTRIES_${key.toUpperCase().replaceAll('-', '_')}_TOKEN`;
    const secret = source.environment[variable] ?? token;
    if (secret !== undefined) credentials.add(new URL('/', own), secret);
  }
  return { registries, credentials };
}

function withoutUndefined<T extends object>(value: T): Partial<T> {
  const entries = Object.entries(value).filter(([, entry]) => entry !== undefined);
  return Object.fromEntries(entries) as Partial<T>;
}
