/** Package managers that download other versions of themselves, or check for updates, in a real sandbox. */
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommandExitError, Sandbox } from 'e2b';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { preparedDataFolder } from '../../../../scripts/testing/prepared-data.ts';
import { removeFolder } from '../../../../scripts/testing/remove-folder.ts';
import { startSandboxServer, type SandboxServer } from '../../src/index.ts';
import { publish, startUpstream, tarball, type Upstream } from './upstream.ts';

const API_KEY = 'manager-key';
const COREPACK = '/usr/lib/node_modules/corepack/dist/corepack.js';
let upstream: Upstream;
let folder = '';
let home = '';
let server: SandboxServer;
let sandbox: Sandbox;

async function run(command: string): Promise<string> {
  try {
    const { stdout, stderr } = await sandbox.commands.run(command, { timeoutMs: 120_000 });
    return stdout + stderr;
  } catch (error) {
    if (error instanceof CommandExitError) return error.stdout + error.stderr;
    throw error;
  }
}

/** Every outside host that the sandbox contacted, allowed or refused. */
async function contacted(): Promise<string[]> {
  const response = await fetch(`${server.apiUrl}/ship/sandboxes/${sandbox.sandboxId}/ledger`, {
    headers: { 'X-API-Key': API_KEY },
  });
  const { entries } = (await response.json()) as { entries: { host: string }[] };
  return [...new Set(entries.map(({ host }) => host))].filter(
    (host) => !host.startsWith('gateway:'),
  );
}

beforeAll(async () => {
  upstream = await startUpstream();
  folder = await preparedDataFolder();
  home = mkdtempSync(join(tmpdir(), 'ship-home-'));
  writeFileSync(join(home, '.npmrc'), `registry=${upstream.url}\n`);
  const add = (name: string, version: string, code: string, program?: string): void =>
    publish(upstream, upstream.url, {
      name,
      version,
      tarball: tarball(home, name, version, code, program),
      ...(program !== undefined && { program }),
    });
  add('left', '1.0.0', 'module.exports = "left"');
  add('pnpm', '9.1.0', 'console.log("pnpm of the registry")', 'bin/pnpm.cjs');
  add('@yarnpkg/cli-dist', '3.6.0', 'console.log("yarn of the registry")', 'bin/yarn.js');
  add('npm', '99.0.0', 'console.log("npm of the registry")', 'bin/npm-cli.js');
  server = await startSandboxServer({
    apiKey: API_KEY,
    dataDir: join(folder, 'sandboxes'),
    registries: { home, environment: {} },
    // Public names resolve to nothing: requests for them are in the ledger and get no answer.
    resolve: async () => [],
  });
  const { apiUrl, sandboxUrl } = server;
  sandbox = await Sandbox.create('base', { apiKey: API_KEY, apiUrl, sandboxUrl });
}, 180_000);
afterAll(async () => {
  await server.close('stop');
  await upstream.close();
  for (const name of [folder, home]) removeFolder(name);
}, 60_000);

const project = (name: string, packageManager: string): string =>
  `mkdir -p ${name} && cd ${name} && echo '{"name":"p","dependencies":{"left":"1.0.0"},"packageManager":"${packageManager}"}' > package.json`;

describe('package managers in a sandbox', () => {
  it.each([
    ['pnpm', 'pnpm@9.1.0', 'pnpm of the registry'],
    ['yarn', 'yarn@3.6.0', 'yarn of the registry'],
  ])(
    '[RG14] %s for packageManager %s comes through the gateway',
    async (command, asked, said) => {
      expect(await run(`${project(command, asked)} && ${command} install`)).toContain(said);
      expect(await contacted()).toEqual(['127.0.0.1']);
    },
    120_000,
  );

  it.skipIf(!existsSync(COREPACK))(
    `[RG14] the real corepack downloads through the gateway (needs ${COREPACK})`,
    async () => {
      // This test's registry does not sign its packages.
      const corepack = `COREPACK_INTEGRITY_KEYS=0 COREPACK_ENABLE_DOWNLOAD_PROMPT=0 node ${COREPACK}`;
      const pnpm = `${project('corepack-pnpm', 'pnpm@9.1.0')} && ${corepack} pnpm --version`;
      expect(await run(pnpm)).toContain('pnpm of the registry');
      const yarn = `${project('corepack-yarn', 'yarn@3.6.0')} && ${corepack} yarn --version`;
      expect(await run(yarn)).toContain('yarn of the registry');
      expect(await contacted()).toEqual(['127.0.0.1']);
    },
    120_000,
  );

  it('[RG14] npm, pnpm and yarn check for updates nowhere else', async () => {
    const plain = `rm -rf plain && mkdir plain && cd plain && echo '{"name":"p","license":"MIT","dependencies":{"left":"1.0.0"}}' > package.json`;
    // A terminal and no CI variable: the update notifiers run only then.
    const commands = ['npm install', 'npm view left', 'pnpm install', 'yarn install'];
    // yarn refuses packages younger than a day by default, and this registry reports no ages.
    const yarn4 = 'touch .yarnrc.yml; YARN_NPM_MINIMAL_AGE_GATE=0 yarn install';
    for (const command of [...commands, 'npx -y pnpm@9.1.0', yarn4]) {
      const said = await run(
        `${plain} && env -u CI script -qec '${command}' /dev/null; echo "code=$?"`,
      );
      expect(`${command}: ${said}`).toContain('code=0');
    }
    expect(await contacted()).toEqual(['127.0.0.1']);
  }, 180_000);
});
