/** The base template's `pnpm`, `yarn` and `corepack`, against a registry on loopback. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { npmProgram } from '../../src/index.ts';
import { findPackage } from '../../src/templates/packages.ts';
import { BUILT_IN_TEMPLATES } from '../../src/templates/index.ts';

const run = promisify(execFile);
const root = mkdtempSync(join(tmpdir(), 'ship-managers-'));
const bin = join(root, 'bin');
let registry: Server;
let requests: string[] = [];
let home: string;
let project: string;

/** A package whose program prints its version and arguments. */
async function pack(name: string, version: string): Promise<Buffer> {
  const folder = mkdtempSync(join(root, 'package-'));
  const command = name === '@yarnpkg/cli-dist' ? 'yarn' : name;
  const manifest = { name, version, bin: { [command]: 'run.js' } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  const program = `console.log('downloaded ${name} ${version}', ...process.argv.slice(2)); process.exitCode = 7;`;
  writeFileSync(join(folder, 'run.js'), `#!/usr/bin/env node\n${program}\n`);
  await run(process.execPath, [npmProgram(), 'pack'], { cwd: folder });
  const [archive = ''] = readdirSync(folder).filter((file) => file.endsWith('.tgz'));
  return readFileSync(join(folder, archive));
}

async function startRegistry(packages: ReadonlyArray<[name: string, version: string]>) {
  const archives = new Map<string, Buffer>();
  for (const [name, version] of packages)
    archives.set(`${name}@${version}`, await pack(name, version));
  registry = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '');
    requests.push(path);
    const archive = archives.get(path.slice(1).replace('/-/', '@'));
    if (archive !== undefined) return void response.end(archive);
    const found = packages.find(([name]) => path === `/${name}`);
    if (found === undefined) return void response.writeHead(403).end('{}');
    const [name, version] = found;
    const { port } = registry.address() as AddressInfo;
    const content = archives.get(`${name}@${version}`) ?? Buffer.alloc(0);
    const integrity = `sha512-${createHash('sha512').update(content).digest('base64')}`;
    const dist = { tarball: `http://127.0.0.1:${port}/${name}/-/${version}`, integrity };
    const versions = { [version]: { name, version, dist, bin: { pnpm: 'run.js' } } };
    response.end(JSON.stringify({ name, 'dist-tags': { latest: version }, versions }));
  });
  await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
  return archives;
}

let archives: Map<string, Buffer>;
beforeAll(async () => {
  mkdirSync(join(root, 'lib', 'ship'), { recursive: true });
  mkdirSync(bin);
  const scripts = join(BUILT_IN_TEMPLATES, 'base/files/usr/local/lib/ship');
  for (const name of readdirSync(scripts))
    copyFileSync(join(scripts, name), join(root, 'lib/ship', name));
  const npm = findPackage('npm');
  if (npm === undefined) throw new Error('npm is not installed');
  symlinkSync(join(npm.folder, '..'), join(root, 'lib', 'node_modules'));
  for (const name of ['pnpm', 'pnpx', 'yarn', 'yarnpkg', 'corepack'])
    symlinkSync('../lib/ship/package-manager.cjs', join(bin, name));
  archives = await startRegistry([
    ['pnpm', '9.1.0'],
    ['yarn', '1.22.19'],
    ['@yarnpkg/cli-dist', '3.6.0'],
  ]);
}, 120_000);
afterAll(() => {
  registry.close();
  rmSync(root, { recursive: true, force: true });
});
beforeEach(() => {
  requests = [];
  home = mkdtempSync(join(root, 'home-'));
  project = mkdtempSync(join(root, 'project-'));
});

const asksFor = (packageManager: string): void =>
  writeFileSync(join(project, 'package.json'), JSON.stringify({ packageManager }));

async function call(command: string, args: string[] = ['--version']) {
  const { port } = registry.address() as AddressInfo;
  const env = {
    // yarn 1 stores compiled code there; elsewhere it would stay on the machine.
    TMPDIR: root,
    HOME: home,
    PATH: '/usr/bin:/bin',
    npm_config_registry: `http://127.0.0.1:${port}/`,
    npm_config_userconfig: join(home, '.npmrc'),
  };
  const options = { cwd: project, env, timeout: 60_000 };
  try {
    return { code: 0, ...(await run(process.execPath, [join(bin, command), ...args], options)) };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, stdout, stderr };
  }
}

const bundled = (name: string): string => `${findPackage(name)?.version}\n`;

it('[TL5] without packageManager the bundled version runs, and no registry is contacted', async () => {
  expect(await call('pnpm')).toMatchObject({ code: 0, stdout: bundled('pnpm'), stderr: '' });
  expect(await call('yarn')).toMatchObject({ code: 0, stdout: bundled('yarn'), stderr: '' });
  writeFileSync(join(project, '.yarnrc.yml'), '');
  expect((await call('yarnpkg')).stdout).toBe(bundled('@yarnpkg/cli-dist'));
  expect(requests).toEqual([]);
});

it('[TL5] a lock file of yarn 2 or later selects that yarn', async () => {
  writeFileSync(join(project, 'package.json'), '{}');
  writeFileSync(join(project, 'yarn.lock'), '__metadata:\n  version: 8\n');
  expect((await call('yarn')).stdout).toBe(bundled('@yarnpkg/cli-dist'));
  writeFileSync(join(project, 'yarn.lock'), '# yarn lockfile v1\n');
  expect((await call('yarn')).stdout).toBe(bundled('yarn'));
});

it.each([
  ['pnpm', 'pnpm@9.1.0', 'downloaded pnpm 9.1.0'],
  ['yarn', 'yarn@1.22.19', 'downloaded yarn 1.22.19'],
  ['yarn', 'yarn@3.6.0', 'downloaded @yarnpkg/cli-dist 3.6.0'],
])('[TL5] %s for packageManager %s is downloaded once', async (command, spec, expected) => {
  asksFor(spec);
  // Including its exit code and its arguments.
  const first = { code: 7, stdout: `${expected} add left-pad\n`, stderr: '' };
  expect(await call(command, ['add', 'left-pad'])).toEqual(first);
  expect(requests.length).toBeGreaterThan(0);
  requests = [];
  expect(await call(command, ['add', 'left-pad'])).toEqual(first);
  expect(requests).toEqual([]);
});

it('[TL5] the bundled version replaces one that cannot be downloaded, with one line of output', async () => {
  asksFor('pnpm@8.0.0');
  const answer = await call('pnpm');
  expect(answer).toMatchObject({ code: 0, stdout: bundled('pnpm') });
  expect(answer.stderr).toMatch(
    /^ship: package\.json requests pnpm@8\.0\.0, which cannot be downloaded \(.+\); using the bundled pnpm \S+\n$/,
  );
  // Not retried immediately: offline, every call would wait for the same refusal.
  requests = [];
  expect((await call('pnpm')).stderr).toBe(answer.stderr);
  expect(requests).toEqual([]);
});

it('[TL5] a version with another hash than packageManager requires is not run', async () => {
  asksFor(`pnpm@9.1.0+sha512.${'0'.repeat(128)}`);
  expect(await call('pnpm')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('another hash'),
  });
  const hash = createHash('sha512')
    .update(archives.get('pnpm@9.1.0') ?? '')
    .digest('hex');
  asksFor(`pnpm@9.1.0+sha512.${hash}`);
  expect((await call('pnpm')).stdout).toBe('downloaded pnpm 9.1.0 --version\n');
});

it('[TL5] a checked-in release (yarnPath) runs without a download', async () => {
  asksFor('yarn@3.1.0');
  writeFileSync(join(project, '.yarnrc.yml'), 'yarnPath: release.cjs\n');
  writeFileSync(join(project, 'release.cjs'), "console.log('checked in')\n");
  expect(await call('yarn')).toMatchObject({ code: 0, stdout: 'checked in\n' });
  expect(requests).toEqual([]);
});

it('[TL5] corepack has nothing to enable, and runs a given manager', async () => {
  expect(await call('corepack', ['enable'])).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('nothing to do'),
  });
  expect((await call('corepack', ['pnpm', '--version'])).stdout).toBe(bundled('pnpm'));
});
