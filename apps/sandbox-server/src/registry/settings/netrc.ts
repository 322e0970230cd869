import { join } from 'node:path';

import type { Credentials } from '../credentials.ts';
import type { SettingsSource } from './source.ts';

/** `machine HOST login USER password WORD`: pip, uv and go read it for hosts without another credential. */
export function addNetrc(
  source: SettingsSource,
  origins: Iterable<URL>,
  credentials: Credentials,
): void {
  const path = source.environment['NETRC'] ?? join(source.home, '.netrc');
  const text = source.read(path);
  if (text === undefined) return;
  const machines = parseNetrc(text);
  for (const url of origins) {
    const entry = machines.get(url.hostname);
    if (entry === undefined || credentials.headerFor(url) !== undefined) continue;
    credentials.addBasic(new URL('/', url), entry.login, entry.password);
  }
}

export function parseNetrc(text: string): Map<string, { login: string; password: string }> {
  const machines = new Map<string, { login: string; password: string }>();
  const words = text.replaceAll(/^\s*#.*$/gm, '').split(/\s+/);
  let current: { login: string; password: string } | undefined;
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index];
    if (word === 'default' || word === 'macdef') current = undefined;
    if (word === 'machine') {
      current = { login: '', password: '' };
      machines.set(words[index + 1] ?? '', current);
    }
    if (current !== undefined && (word === 'login' || word === 'password'))
      current[word] = words[index + 1] ?? '';
    if (word === 'machine' || word === 'login' || word === 'password') index += 1;
  }
  return machines;
}
