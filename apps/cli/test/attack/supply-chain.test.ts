/** A registry on loopback that serves other archives than the ones that Ship pins. */
import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { npmProgram } from '@ship/sandbox-server';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { checkAgainstLock, lockDrift } from '../../../../scripts/setup/lock-drift.mjs';
import { npmEnvironment, npmInstaller } from '../../src/host/editor/npm.ts';

interface Archive {
  bytes: Buffer;
  integrity: string;
}

let folder = '';
let registry: Server;
let url = '';
const served = new Map<string, Archive>();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ship-registry-'));
  registry = createServer((request, response) => {
    const [, name = '', file] = (request.url ?? '').split('/');
    const archive = served.get(name);
    if (archive === undefined) return void response.writeHead(404).end('{}');
    if (file !== undefined) return void response.end(archive.bytes);
    const dist = { tarball: `${url}${name}/${name}-1.0.0.tgz`, integrity: archive.integrity };
    const manifest = JSON.parse(inArchive(name, 'package.json')) as Record<string, unknown>;
    const hasShrinkwrap = name === 'code-server';
    const versions = { '1.0.0': { ...manifest, _hasShrinkwrap: hasShrinkwrap, dist } };
    response.end(JSON.stringify({ name, 'dist-tags': { latest: '1.0.0' }, versions }));
  });
  await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(registry.address() as AddressInfo).port}/`;
  vi.stubEnv('npm_config_registry', url);
});
afterAll(() => {
  registry.close();
  registry.closeAllConnections();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

const inArchive = (name: string, file: string) =>
  readFileSync(join(folder, 'archives', name, 'package', file), 'utf8');

/** Adds a package to the registry, or replaces the one with that name and version. */
function serve(name: string, files: Record<string, string>, dependencies = {}): Archive {
  const root = join(folder, 'archives', name);
  rmSync(root, { recursive: true, force: true });
  const manifest = JSON.stringify({ name, version: '1.0.0', dependencies });
  for (const [path, text] of Object.entries({ 'package.json': manifest, ...files })) {
    mkdirSync(dirname(join(root, 'package', path)), { recursive: true });
    writeFileSync(join(root, 'package', path), text);
  }
  const bytes = execFileSync('tar', ['-cz', '-C', root, 'package']);
  const hash = createHash('sha512').update(bytes).digest('base64');
  const archive = { bytes, integrity: `sha512-${hash}` };
  served.set(name, archive);
  return archive;
}

const lockOf = (dependencies: Record<string, Archive>) =>
  JSON.stringify({
    lockfileVersion: 3,
    packages: {
      '': {
        dependencies: Object.fromEntries(Object.keys(dependencies).map((one) => [one, '1.0.0'])),
      },
      ...Object.fromEntries(
        Object.entries(dependencies).map(([name, { integrity }]) => [
          `node_modules/${name}`,
          { version: '1.0.0', resolved: `${url}${name}/${name}-1.0.0.tgz`, integrity },
        ]),
      ),
    },
  });

/** A minimal code-server with a dependency in each of its three lock files. */
function serveEditor(helper: Archive, content = 'the editor'): Archive {
  const part = JSON.stringify({
    name: 'part',
    version: '1.0.0',
    dependencies: { helper: '1.0.0' },
  });
  const lock = lockOf({ helper });
  return serve(
    'code-server',
    {
      'out/node/entry.js': content,
      'npm-shrinkwrap.json': lock,
      'lib/vscode/package.json': part,
      'lib/vscode/npm-shrinkwrap.json': lock,
      'lib/vscode/extensions/package.json': part,
      'lib/vscode/extensions/npm-shrinkwrap.json': lock,
    },
    { helper: '1.0.0' },
  );
}

async function install(integrity: string): Promise<string> {
  const staging = mkdtempSync(join(folder, 'staging-'));
  const progress = {
    onStep: () => undefined,
    cacheFolder: mkdtempSync(join(folder, 'cache-')),
    signal: new AbortController().signal,
  };
  await npmInstaller({ version: '1.0.0', integrity }, () => undefined)(staging, progress);
  return staging;
}

describe('[ED7] VS Code from a registry', { timeout: 120_000 }, () => {
  it('[AT-13s1] attack: the registry answers the pinned version of code-server with another archive', async () => {
    const helper = serve('helper', { 'index.js': 'good' });
    const { integrity } = serveEditor(helper);
    const staging = await install(integrity);
    expect(readFileSync(join(staging, 'node_modules/code-server/out/node/entry.js'), 'utf8')).toBe(
      'the editor',
    );
    serveEditor(helper, 'an evil editor');
    await expect(install(integrity)).rejects.toThrow('not the one that Ship pins');
  });

  it('[AT-13s2] attack: the registry answers a dependency of code-server with another archive', async () => {
    const { integrity } = serveEditor(serve('helper', { 'index.js': 'good' }));
    serve('helper', { 'index.js': 'evil' });
    await expect(install(integrity)).rejects.toThrow(/integrity|EINTEGRITY/i);
  });
});

describe('[SU5] set-up and its lock file', { timeout: 120_000 }, () => {
  it('[AT-13s3] attack: set-up installs a package that the lock file does not have, unnoticed', async () => {
    const root = mkdtempSync(join(folder, 'project-'));
    const known = serve('known', { 'index.js': 'known' });
    serve('helper', { 'index.js': 'not in the lock' });
    const dependencies = { known: '1.0.0', helper: '1.0.0' };
    writeFileSync(join(root, 'package.json'), JSON.stringify({ dependencies }));
    writeFileSync(join(root, 'package-lock.json'), lockOf({ known }));
    const cache = mkdtempSync(join(folder, 'cache-'));
    const flags = ['install', '--no-save', '--no-audit', '--no-fund', '--cache', cache];
    const env = npmEnvironment(process.env);
    await promisify(execFile)(process.execPath, [npmProgram(), ...flags], { cwd: root, env });
    const said: string[] = [];
    checkAgainstLock(root, (text) => said.push(text));
    expect(said.join('')).toContain('package-lock.json does not have: helper@1.0.0\n');
    const installed = join(root, 'node_modules/.package-lock.json');
    writeFileSync(
      installed,
      readFileSync(installed, 'utf8').replaceAll(known.integrity, 'sha512-x'),
    );
    expect(() => checkAgainstLock(root, () => undefined)).toThrow('other hashes');
  });

  it('[SU5] every package of the lock file from a registry has a hash', () => {
    for (const file of ['package-lock.json', 'scripts/node/package-lock.json']) {
      const { packages } = JSON.parse(
        readFileSync(new URL(`../../../../${file}`, import.meta.url), 'utf8'),
      ) as {
        packages: Record<string, { integrity?: string }>;
      };
      expect(lockDrift(packages, packages)).toEqual({ unknown: [], different: [] });
    }
  });
});
