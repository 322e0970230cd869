import { describe, expect, it } from 'vitest';

import { readSettings } from './index.ts';
import { parseNetrc } from './netrc.ts';
import type { SettingsSource } from './source.ts';

function source(
  files: Record<string, string>,
  environment: Record<string, string> = {},
): SettingsSource {
  return { home: '/home/owner', environment, read: (path) => files[path] };
}
const header = (value: { headerFor(url: URL): string | undefined }, url: string) =>
  value.headerFor(new URL(url));
const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;

describe('registry settings of the owner', () => {
  it('default to the public registries', () => {
    const { npm, pip, go, cargo } = readSettings(source({}));
    expect(npm.registry.href).toBe('https://registry.npmjs.org/');
    expect(pip.indexes.map(String)).toEqual(['https://pypi.org/simple/']);
    expect(go.proxies.map(String)).toEqual(['https://proxy.golang.org/']);
    expect(go.allowsDirect).toBe(true);
    expect([...cargo.registries.keys()]).toEqual(['crates-io']);
    expect([npm, pip, go, cargo].every(({ credentials }) => credentials.isEmpty)).toBe(true);
  });

  it('npm: scopes, tokens by host and path, variables; a token is sent only to its own origin and path', () => {
    const npmrc = [
      '; a comment',
      'registry = https://npm.acme.test/all',
      '@acme:registry=https://npm.acme.test:8443/private/',
      '//npm.acme.test/:_authToken=${NPM_TOKEN}',
      '//npm.acme.test:8443/private/:username=me',
      `//npm.acme.test:8443/private/:_password=${Buffer.from('word').toString('base64')}`,
    ].join('\n');
    const files = { '/home/owner/.npmrc': npmrc };
    const { npm } = readSettings(source(files, { NPM_TOKEN: 't' }));
    expect(npm.registry.href).toBe('https://npm.acme.test/all/');
    expect(npm.scopes.get('@acme')?.href).toBe('https://npm.acme.test:8443/private/');
    expect(header(npm.credentials, 'https://npm.acme.test/all/left')).toBe('Bearer t');
    expect(header(npm.credentials, 'https://npm.acme.test:8443/private/x')).toBe(basic('me:word'));
    for (const url of [
      'http://npm.acme.test/all/left',
      'https://npm.acme.test:8443/privateer/x',
      'https://npm.acme.test.evil.test/',
      'https://acme.test/',
    ])
      expect(header(npm.credentials, url)).toBeUndefined();
    expect(JSON.stringify(npm)).not.toMatch(/Bearer|word/);
  });

  it('npm: the environment wins, and a password in a URL becomes a credential', () => {
    const files = { '/home/owner/.npmrc': 'registry=https://file.test/' };
    const environment = { npm_config_registry: 'https://u:p%40@env.test/npm' };
    const { npm } = readSettings(source(files, environment));
    expect(npm.registry.href).toBe('https://env.test/npm/');
    expect(header(npm.credentials, 'https://env.test/npm/left')).toBe(basic('u:p@'));
  });

  it('pip: index and extra indexes of the file, netrc, no file:// indexes', () => {
    const conf =
      '[global]\nindex-url = https://py.test/simple\nextra-index-url =\n  https://two.test/simple\n  file:///opt/index\n';
    const files = {
      '/home/owner/.config/pip/pip.conf': conf,
      '/home/owner/.netrc': 'machine py.test login a password b',
    };
    const { pip } = readSettings(source(files));
    expect(pip.indexes.map(String)).toEqual([
      'https://py.test/simple/',
      'https://two.test/simple/',
    ]);
    expect(header(pip.credentials, 'https://py.test/files/x.whl')).toBe(basic('a:b'));
    expect(header(pip.credentials, 'https://two.test/simple/x')).toBeUndefined();
  });

  it('cargo: a broken file, a git index and a circular replacement do not affect the others', () => {
    const config =
      '[source.crates-io]\nreplace-with = "a"\n[source.a]\nreplace-with = "crates-io"\n[registries.g]\nindex = "https://git.test/index"\n';
    const files = {
      '/home/owner/.cargo/config.toml': config,
      '/home/owner/.cargo/credentials.toml': 'not toml [',
    };
    expect([...readSettings(source(files)).cargo.registries.keys()]).toEqual(['crates-io']);
  });

  it('parses netrc with comments, default and several machines', () => {
    const text =
      '# c\nmachine a login x password y\nmachine b\n login z\ndefault login n password m\n';
    expect([...parseNetrc(text)]).toEqual([
      ['a', { login: 'x', password: 'y' }],
      ['b', { login: 'z', password: '' }],
    ]);
  });
});

const mavenSettings = (mirrors: string, servers = ''): Record<string, string> => ({
  '/home/owner/.m2/settings.xml': `<?xml version="1.0"?><!-- a <comment> --><settings xmlns="http://maven.apache.org/SETTINGS/1.0.0">
      <servers>${servers}</servers><mirrors>${mirrors}</mirrors></settings>`,
});
const mavenMirror = (id: string, mirrorOf: string, url: string): string =>
  `<mirror><id>${id}</id><mirrorOf>${mirrorOf}</mirrorOf><url>${url}</url></mirror>`;
const mavenServer = (id: string, user: string, password: string): string =>
  `<server><id>${id}</id><username>${user}</username><password>${password}</password></server>`;

describe('Maven settings of the owner', () => {
  it('default to Maven Central, also for an invalid document', () => {
    for (const files of [
      {},
      mavenSettings('<mirror>'),
      { '/home/owner/.m2/settings.xml': '<a><b></a>' },
    ])
      expect(
        readSettings(source(files)).maven.mirrors.map(({ id, url }) => [id, url?.href]),
      ).toEqual([['ship-central', 'https://repo.maven.apache.org/maven2/']]);
  });

  it('mirrors with the credentials of the server of the same id, and variables', () => {
    const files = mavenSettings(
      mavenMirror('corp', '*', 'https://nexus.acme.test/maven') +
        mavenMirror('signed', 'other', 'https://other.acme.test/maven') +
        '<mirror><id>no</id><mirrorOf>bad</mirrorOf><url>http://0.0.0.0/</url><blocked>true</blocked></mirror>',
      mavenServer('corp', 'me', '${env.PASS}&amp;&#x41;') +
        mavenServer('other-id', 'x', 'y') +
        '<server><id>signed</id><configuration><httpHeaders><property><name>Authorization</name><value>Bearer t</value></property></httpHeaders></configuration></server>',
    );
    const { mirrors, credentials } = readSettings(source(files, { PASS: 'word' })).maven;
    expect(mirrors.map(({ id, mirrorOf, url }) => [id, mirrorOf, url?.href])).toEqual([
      ['corp', '*', 'https://nexus.acme.test/maven/'],
      ['signed', 'other', 'https://other.acme.test/maven/'],
      ['no', 'bad', undefined],
    ]);
    expect(header(credentials, 'https://nexus.acme.test/maven/a')).toBe(basic('me:word&A'));
    expect(header(credentials, 'https://nexus.acme.test/other')).toBeUndefined();
    expect(header(credentials, 'https://other.acme.test/maven/a')).toBe('Bearer t');
    expect(JSON.stringify({ mirrors, credentials })).not.toMatch(/word|Bearer/);
  });

  it('an encrypted password is not sent, and a mirror that excludes Central does not mirror it', () => {
    const files = mavenSettings(
      mavenMirror('corp', '*,!central', 'https://nexus.acme.test/maven'),
      mavenServer('corp', 'me', '{COQLCE6DU6GtcS5P=}'),
    );
    const { mirrors, credentials } = readSettings(source(files)).maven;
    expect(credentials.isEmpty).toBe(true);
    expect(mirrors.map(({ id }) => id)).toEqual(['corp', 'ship-central']);
  });
});
