import { join } from 'node:path';

import { Credentials, registryUrl, takeUserInfo } from '../credentials.ts';
import type { SettingsSource } from './source.ts';
import { childrenOf, parseXml, textOf, type XmlElement } from './xml.ts';

const CENTRAL = 'https://repo.maven.apache.org/maven2/';
/** Maven decrypts such a password with a key of the user; the gateway does not. */
const ENCRYPTED = /^\{.*\}$/;
const ID = /^[\w.-]{1,64}$/;

interface MavenMirror {
  id: string;
  /** The repositories that it mirrors, in Maven's own notation. */
  mirrorOf: string;
  /** Undefined: the owner blocks these repositories. */
  url: URL | undefined;
}

export interface MavenSettings {
  /** In the owner's order; at least one for Maven Central. */
  mirrors: readonly MavenMirror[];
  credentials: Credentials;
}

export function mavenFiles({ home }: SettingsSource): string[] {
  return [join(home, '.m2/settings.xml'), '/etc/maven/settings.xml'];
}

export function readMavenSettings(source: SettingsSource): MavenSettings {
  const credentials = new Credentials();
  const mirrors = new Map<string, MavenMirror>();
  const servers = new Map<string, XmlElement>();
  const expand = (text: string): string =>
    text.replaceAll(
      /\$\{env\.(\w+)\}/g,
      (whole, name: string) => source.environment[name] ?? whole,
    );
  // The user's file comes first: Maven prefers it, by id.
  for (const file of mavenFiles(source)) {
    const root = parseXml(source.read(file) ?? '');
    for (const server of childrenOf(root, 'servers', 'server')) {
      const id = textOf(server, 'id') ?? '';
      if (!servers.has(id)) servers.set(id, server);
    }
    for (const mirror of childrenOf(root, 'mirrors', 'mirror')) {
      const found = readMirror(mirror, expand, credentials);
      if (found !== undefined && !mirrors.has(found.id)) mirrors.set(found.id, found);
    }
  }
  for (const { id, url } of mirrors.values()) {
    const server = servers.get(id);
    if (server !== undefined && url !== undefined) addCredential(server, url, expand, credentials);
  }
  const list = [...mirrors.values()];
  if (!list.some(standsForCentral))
    list.push({ id: 'ship-central', mirrorOf: 'central', url: new URL(CENTRAL) });
  return { mirrors: list, credentials };
}

function readMirror(
  mirror: XmlElement,
  expand: (text: string) => string,
  credentials: Credentials,
): MavenMirror | undefined {
  const id = textOf(mirror, 'id') ?? '';
  const mirrorOf = textOf(mirror, 'mirrorOf') ?? '';
  if (!ID.test(id) || mirrorOf === '') return undefined;
  if (textOf(mirror, 'blocked') === 'true') return { id, mirrorOf, url: undefined };
  const url = registryUrl(expand(textOf(mirror, 'url') ?? ''));
  return url === undefined ? undefined : { id, mirrorOf, url: takeUserInfo(url, credentials) };
}

function addCredential(
  server: XmlElement,
  url: URL,
  expand: (text: string) => string,
  credentials: Credentials,
): void {
  const user = textOf(server, 'username');
  const password = textOf(server, 'password');
  if (user !== undefined && password !== undefined && !ENCRYPTED.test(password))
    credentials.addBasic(url, expand(user), expand(password));
  for (const header of childrenOf(server, 'configuration', 'httpHeaders', 'property'))
    if (textOf(header, 'name')?.toLowerCase() === 'authorization')
      credentials.add(url, expand(textOf(header, 'value') ?? ''));
}

/** Matches `mirrorOf` like Maven: a list of ids, `*`, `external:*` and exclusions. */
function standsForCentral({ mirrorOf }: MavenMirror): boolean {
  const words = mirrorOf.split(',').map((word) => word.trim());
  if (words.includes('!central')) return false;
  return words.some((word) => word === 'central' || word === '*' || word === 'external:*');
}
