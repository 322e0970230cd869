/** The guarantees of the base template, in real sandboxes without a network. */
import { join } from 'node:path';
import { Sandbox } from 'e2b';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { preparedDataFolder } from '../../../../scripts/testing/prepared-data.ts';
import { removeFolder } from '../../../../scripts/testing/remove-folder.ts';
import { startSandboxServer, type SandboxServer } from '../../src/index.ts';
import { findPackage } from '../../src/templates/packages.ts';

const apiKey = 'base-template-key';
let folder: string;
let server: SandboxServer;
let sandbox: Sandbox;

beforeAll(async () => {
  folder = await preparedDataFolder();
  server = await startSandboxServer({
    apiKey,
    dataDir: join(folder, 'sandboxes'),
    resolve: async () => ['93.184.216.34'],
    dial: () => {
      throw new Error('no test leaves the loopback');
    },
  });
  const { apiUrl, sandboxUrl } = server;
  sandbox = await Sandbox.create('base', { apiKey, apiUrl, sandboxUrl });
});
afterAll(async () => {
  await sandbox.kill();
  await server.close('stop');
  removeFolder(folder);
});

async function shell(script: string, user: 'user' | 'root' = 'user'): Promise<string> {
  const { stdout } = await sandbox.commands.run(`set -e\n${script}`, { user, timeoutMs: 100_000 });
  return stdout.trim();
}

it.each(['user', 'root'] as const)('[TL5] pnpm, yarn and bun start offline as %s', async (user) => {
  const versions = await shell('cd /tmp; pnpm --version; yarn --version; npm --version', user);
  expect(versions.split('\n')).toEqual(
    ['pnpm', 'yarn', 'npm'].map((name) => findPackage(name)?.version),
  );
  const bun = await shell('bun --version; bunx --version', user);
  const version = process.arch === 'arm64' ? 'aarch64' : 'x64-baseline';
  expect(bun.split('\n')[0]).toBe(findPackage(`@oven/bun-linux-${version}`)?.version);
});

it('[TL5] a local dependency is installed and run by each of them, offline', async () => {
  await shell(`
    mkdir -p /tmp/dependency && cd /tmp/dependency
    echo '{"name":"dependency","version":"1.0.0","main":"index.js"}' > package.json
    echo 'module.exports = 42' > index.js`);
  for (const install of [
    'npm install --offline',
    'pnpm install --offline',
    'yarn install --offline',
    'touch .yarnrc.yml yarn.lock; YARN_NODE_LINKER=node-modules yarn install --no-immutable',
    'bun install',
  ]) {
    const printed = await shell(`
      mkdir /tmp/app && cd /tmp/app
      echo '{"name":"app","version":"1.0.0","dependencies":{"dependency":"file:../dependency"}}' > package.json
      { ${install}; } > log 2>&1 || { cat log; exit 1; }
      node -p 'require("dependency")'; cd /; rm -rf /tmp/app`);
    expect(`${install}: ${printed}`).toBe(`${install}: 42`);
  }
});

it('[TL6] npm, pnpm, yarn and bun install programs for their user', async () => {
  await shell(`
    mkdir -p /tmp/tool && cd /tmp/tool
    echo '{"name":"local-tool","version":"1.0.0","bin":"tool.js"}' > package.json
    printf '#!/usr/bin/env node\\nconsole.log("runs as", process.env.USER)\\n' > tool.js
    chmod +x tool.js
    npm pack --silent`);
  const archive = '/tmp/tool/local-tool-1.0.0.tgz';
  for (const [install, remove] of [
    [`npm install -g ${archive}`, 'npm uninstall -g local-tool'],
    [`pnpm add -g ${archive}`, 'pnpm remove -g local-tool'],
    [`cd; yarn global add --offline file:${archive}`, 'yarn global remove local-tool'],
    [`cd; bun add -g ${archive}`, 'bun remove -g local-tool'],
  ] as const) {
    const printed = await shell(`
      (${install}) > /tmp/log 2>&1 || { cat /tmp/log; exit 1; }
      hash -r; local-tool; (${remove}) > /dev/null 2>&1`);
    expect(`${install}: ${printed}`).toBe(`${install}: runs as user`);
  }
  await shell(`npm install -g ${archive}`, 'root');
  // Programs that root installs are available to all users.
  expect(await shell('local-tool; command -v local-tool')).toBe(
    'runs as user\n/usr/local/bin/local-tool',
  );
});

it('[TL6] pip installs for its user, although Debian manages Python', async (context) => {
  // Debian has pip in a separate package.
  if ((await shell('python3 -m pip --version || true')) === '') context.skip();
  const printed = await shell(`
    mkdir -p /tmp/wheel/local_tool-1.0.dist-info && cd /tmp/wheel
    printf 'def main():\\n    print("from the wheel")\\n' > local_tool.py
    cd local_tool-1.0.dist-info
    printf 'Metadata-Version: 2.1\\nName: local-tool\\nVersion: 1.0\\n' > METADATA
    printf 'Wheel-Version: 1.0\\nGenerator: x\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n' > WHEEL
    printf '[console_scripts]\\nwheel-tool = local_tool:main\\n' > entry_points.txt
    printf 'local_tool.py,,\\n' > RECORD
    cd .. && python3 -m zipfile -c /tmp/local_tool-1.0-py3-none-any.whl local_tool.py local_tool-1.0.dist-info
    python3 -m pip install --user --no-index -q /tmp/local_tool-1.0-py3-none-any.whl
    wheel-tool; command -v wheel-tool`);
  expect(printed).toBe('from the wheel\n/home/user/.local/bin/wheel-tool');
});

it('[TL4] the list inside is complete, also without toolchains of the machine', async () => {
  const { toolchains } = JSON.parse(await shell('cat /etc/ship/toolchains.json')) as {
    toolchains: { name: string; origin: string; bin: string }[];
  };
  expect(toolchains.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['node', 'npm', 'pnpm', 'yarn', 'bun', 'python']),
  );
  expect(toolchains.every(({ origin }) => origin === 'base' || origin === 'system')).toBe(true);
  const answer = await fetch(`${server.apiUrl}/ship/capabilities`, {
    headers: { 'x-api-key': apiKey },
  });
  expect(await answer.json()).toMatchObject({ backend: 'bubblewrap', toolchains });
});

it('[TL2] Maven’s settings, which may contain passwords, stay outside', async () => {
  expect(await shell('ls /etc/maven 2>/dev/null | grep settings || echo none')).toBe('none');
});
