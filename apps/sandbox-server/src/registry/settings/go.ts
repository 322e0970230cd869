import { join } from 'node:path';

import { Credentials, registryUrl, takeUserInfo } from '../credentials.ts';
import { parseIni } from './ini.ts';
import { addNetrc } from './netrc.ts';
import type { SettingsSource } from './source.ts';

const DEFAULT_GOPROXY = 'https://proxy.golang.org,direct';
/** Settings without secrets that sandboxes need too, otherwise their checks differ from the owner's. */
const FORWARDED = ['GOPRIVATE', 'GONOPROXY', 'GONOSUMDB', 'GOSUMDB'] as const;

export interface GoSettings {
  /** In the owner's order: the next one is queried when one does not have a module. */
  proxies: readonly URL[];
  /** The list ends in `direct`: modules that no proxy has are fetched from their own repository. */
  allowsDirect: boolean;
  forwarded: Readonly<Record<string, string>>;
  credentials: Credentials;
}

export function goFiles({ home, environment }: SettingsSource): string[] {
  const config = environment['XDG_CONFIG_HOME'] ?? join(home, '.config');
  return [environment['GOENV'] ?? join(config, 'go/env')];
}

export function readGoSettings(source: SettingsSource): GoSettings {
  const values = new Map<string, string>();
  for (const file of goFiles(source))
    for (const { key, value } of parseIni(source.read(file) ?? '')) values.set(key, value);
  const setting = (name: string): string | undefined =>
    source.environment[name] ?? values.get(name);
  const credentials = new Credentials();
  const words = (setting('GOPROXY') || DEFAULT_GOPROXY).split(/[,|]/).map((word) => word.trim());
  const proxies = words.flatMap((word) => {
    const url = registryUrl(word);
    return url === undefined ? [] : [takeUserInfo(url, credentials)];
  });
  addNetrc(source, proxies, credentials);
  const forwarded: Record<string, string> = {};
  for (const name of FORWARDED) {
    const value = setting(name);
    // Single-line values that are not URLs: the address of a checksum database may contain a password.
    if (value !== undefined && /^[\w.,*/+-]+$/.test(value)) forwarded[name] = value;
  }
  return { proxies, allowsDirect: words.includes('direct'), forwarded, credentials };
}
