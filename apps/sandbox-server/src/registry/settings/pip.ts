import { join } from 'node:path';

import { Credentials, registryUrl, takeUserInfo } from '../credentials.ts';
import { parseIni } from './ini.ts';
import { addNetrc } from './netrc.ts';
import type { SettingsSource } from './source.ts';

const PYPI = 'https://pypi.org/simple/';

export interface PipSettings {
  /** `index-url` first, then the extra ones; pip uses files from all of them. */
  indexes: readonly URL[];
  credentials: Credentials;
}

/** pip's own order, lowest first. */
export function pipFiles({ home, environment }: SettingsSource): string[] {
  const named = environment['PIP_CONFIG_FILE'];
  const config = environment['XDG_CONFIG_HOME'] ?? join(home, '.config');
  const user = [join(home, '.pip/pip.conf'), join(config, 'pip/pip.conf')];
  return ['/etc/xdg/pip/pip.conf', '/etc/pip.conf', ...(named === undefined ? user : [named])];
}

export function readPipSettings(source: SettingsSource): PipSettings {
  const values = new Map<string, string>();
  for (const file of pipFiles(source)) {
    for (const { section, key, value } of parseIni(source.read(file) ?? ''))
      if (section === 'global' || section === 'install')
        values.set(key.toLowerCase().replaceAll('_', '-'), value);
  }
  const { environment } = source;
  const index = environment['PIP_INDEX_URL'] ?? values.get('index-url');
  const extra = environment['PIP_EXTRA_INDEX_URL'] ?? values.get('extra-index-url') ?? '';
  const credentials = new Credentials();
  const urls = [index ?? PYPI, ...extra.split(/\s+/)].flatMap((text) => {
    const url = registryUrl(text);
    return url === undefined ? [] : [takeUserInfo(url, credentials)];
  });
  const indexes = [...new Map(urls.map((url) => [url.href, url])).values()];
  addNetrc(source, indexes, credentials);
  return { indexes, credentials };
}
