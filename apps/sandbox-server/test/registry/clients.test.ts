/** The template's real clients, in a real sandbox, against a registry on loopback. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CommandResult, CommandExitError, Sandbox } from 'e2b';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { preparedDataFolder } from '../../../../scripts/testing/prepared-data.ts';
import { removeFolder } from '../../../../scripts/testing/remove-folder.ts';
import { startSandboxServer, type SandboxServer } from '../../src/index.ts';
import { findPackage } from '../../src/templates/packages.ts';
import {
  bytes,
  publish,
  sha256,
  startUpstream,
  tarball,
  wheel,
  type Upstream,
} from './upstream.ts';

const API_KEY = 'registry-key';
const hasBun = ['x64-baseline', 'aarch64'].some(
  (build) => findPackage(`@oven/bun-linux-${build}`) !== undefined,
);
let upstream: Upstream;
let folder = '';
let home = '';
let server: SandboxServer;

async function run(
  sandbox: Sandbox,
  command: string,
  user: 'user' | 'root' = 'user',
): Promise<CommandResult> {
  try {
    return await sandbox.commands.run(command, { user, timeoutMs: 120_000 });
  } catch (error) {
    if (error instanceof CommandExitError) {
      const { exitCode, stdout, stderr } = error;
      return { exitCode, stdout, stderr };
    }
    throw error;
  }
}
const bunProject = (name: string): string =>
  `mkdir -p ${name} && cd ${name} && echo '{"name":"b","dependencies":{"left":"1.0.0","@acme/up":"1.0.0"}}' > package.json`;
const create = (options = {}): Promise<Sandbox> =>
  Sandbox.create('base', {
    apiKey: API_KEY,
    apiUrl: server.apiUrl,
    sandboxUrl: server.sandboxUrl,
    ...options,
  });

beforeAll(async () => {
  upstream = await startUpstream();
  folder = await preparedDataFolder();
  home = mkdtempSync(join(tmpdir(), 'ship-home-'));
  const { host } = new URL(upstream.url);
  writeFileSync(
    join(home, '.npmrc'),
    `registry=${upstream.url}\n//${host}/:_authToken=owners-token\n`,
  );
  const body = tarball(home, 'left', '1.0.0', 'module.exports = "from the registry"');
  publish(upstream, upstream.url, { name: 'left', version: '1.0.0', tarball: body });
  for (const name of ['right', '@acme/up']) {
    const other = tarball(home, name, '1.0.0', `module.exports = "${name} of the registry"`);
    publish(upstream, upstream.url, { name, version: '1.0.0', tarball: other });
  }
  const program = tarball(home, 'create-hello', '1.0.0', 'console.log("it ran")', 'hello.js');
  publish(upstream, upstream.url, {
    name: 'create-hello',
    version: '1.0.0',
    tarball: program,
    program: 'hello.js',
  });
  const python = wheel(home, 'shiptest', '1.0');
  upstream.answers.set(
    '/simple/shiptest/',
    bytes(
      `<a href="/w/${python.file}#sha256=${sha256(python.body)}">${python.file}</a>`,
      'text/html',
    ),
  );
  upstream.answers.set(`/w/${python.file}`, bytes(python.body));
  server = await startSandboxServer({
    apiKey: API_KEY,
    dataDir: join(folder, 'sandboxes'),
    registries: { home, environment: { PIP_INDEX_URL: `${upstream.url}simple` } },
  });
}, 180_000);
afterAll(async () => {
  await server.close('stop');
  await upstream.close();
  for (const name of [folder, home]) removeFolder(name);
}, 60_000);

describe('clients in a sandbox', () => {
  it('[RG10] npm installs through the gateway, and its lock file names the registry instead of the gateway', async () => {
    const sandbox = await create();
    const project =
      'mkdir -p p && cd p && echo \'{"name":"p","dependencies":{"left":"1.0.0"}}\' > package.json';
    const first = await run(
      sandbox,
      `${project} && npm install && node -p 'require("left")' && cat package-lock.json`,
    );
    expect(first.stdout).toContain('from the registry');
    expect(first.stdout).toContain(`"resolved": "${upstream.url}left/-/left-1.0.0.tgz"`);
    expect(first.stdout).not.toContain('7003');
    const before = upstream.seen.length;
    const again = await run(
      sandbox,
      'cd p && rm -rf node_modules ~/.npm && cp package-lock.json x && npm ci && cmp x package-lock.json && echo same',
    );
    expect(again.stdout).toContain('same');
    expect(upstream.seen.length).toBe(before);
    await sandbox.kill();
  }, 180_000);

  it('[RG10] yarn 1 installs packages through the gateway that its lock file has from another host, and keeps that host', async () => {
    const sandbox = await create();
    const elsewhere = 'https://npm.elsewhere.test/api/npm/left/-/left-1.0.0.tgz';
    const project = `mkdir -p y && cd y && echo '{"name":"y","license":"MIT","dependencies":{"left":"1.0.0"}}' > package.json`;
    const made = await run(sandbox, `${project} && yarn install && cat yarn.lock`);
    expect(made.stdout).toContain(`resolved "${upstream.url}left/-/left-1.0.0.tgz#`);
    expect(made.stdout).not.toContain('7003');
    const frozen = await run(
      sandbox,
      `cd y && rm -rf node_modules && yarn cache clean >/dev/null && sed -i -E 's|resolved "[^"#]*|resolved "${elsewhere}|' yarn.lock && cp yarn.lock x && yarn install --frozen-lockfile && node -p 'require("left")' && cmp x yarn.lock && echo same`,
    );
    expect(frozen.stdout).toContain('from the registry');
    expect(frozen.stdout).toContain('same');
    await sandbox.kill();
  }, 180_000);

  describe.skipIf(!hasBun)('bun (needs its build for this processor)', () => {
    const forget = 'rm -rf node_modules ~/.bun/install/cache';

    it('[RG15] installs through the gateway with the credentials of the owner; its lock file names the registry', async () => {
      const sandbox = await create();
      upstream.seen.length = 0;
      const first = await run(
        sandbox,
        `${bunProject('b')} && bun install && bun -p 'require("left")' && cat bun.lock`,
      );
      expect(first.stdout).toContain('from the registry');
      expect(first.stdout).toContain(`"left@1.0.0", "${upstream.url}left/-/left-1.0.0.tgz"`);
      expect(first.stdout).toContain(`"@acme/up@1.0.0", "${upstream.url}@acme/up/-/up-1.0.0.tgz"`);
      expect(first.stdout).not.toContain('7003');
      const asked = upstream.seen.filter(({ path }) => path === '/left');
      expect(asked.map(({ headers }) => headers.authorization)).toEqual(['Bearer owners-token']);
      const added = await run(
        sandbox,
        `cd b && { bun add right && bun remove @acme/up && ${forget} && bun add right; } > log 2>&1; cat bun.lock package.json`,
      );
      expect(added.stdout).toContain(`"left@1.0.0", "${upstream.url}left/-/left-1.0.0.tgz"`);
      expect(added.stdout).toContain(`"right@1.0.0", "${upstream.url}right/-/right-1.0.0.tgz"`);
      expect(added.stdout).not.toMatch(/7003|acme/);
      await sandbox.kill();
    }, 180_000);

    it('[RG15] installs packages that its lock file has from another host, and leaves the lock file unchanged', async () => {
      const sandbox = await create();
      const elsewhere = 'https://npm.elsewhere.test/download/left/1.0.0';
      await run(
        sandbox,
        `${bunProject('b')} && bun install && sed -i -E 's|("left@1.0.0", ")[^"]*|\\1${elsewhere}|; s|("@acme/up@1.0.0", ")[^"]*|\\1|' bun.lock && touch -d @1000000000 bun.lock && cp -p bun.lock x`,
      );
      for (const install of ['bun install --frozen-lockfile', 'bun ci', 'bun install']) {
        const again = await run(
          sandbox,
          `cd b && ${forget} && ${install} && bun -p 'require("left") + require("@acme/up")' && cmp x bun.lock && stat -c %Y bun.lock`,
        );
        expect(`${install}: ${again.stdout}${again.stderr}`).toContain('of the registry');
        expect(again.exitCode).toBe(0);
        if (install !== 'bun install') expect(again.stdout).toContain('1000000000');
      }
      const outside = await run(
        sandbox,
        `mkdir -p b/packages/inner && cd b/packages/inner && ${forget} && bun --cwd=../.. ci && cmp ../../x ../../bun.lock && echo same`,
      );
      expect(outside.stdout).toContain('same');
      // A file that never arrives: bun is interrupted while the lock file has addresses of the gateway.
      publish(upstream, upstream.url, {
        name: 'slow',
        version: '1.0.0',
        tarball: Buffer.from('x'),
      });
      upstream.answers.set('/slow/-/slow-1.0.0.tgz', () => undefined);
      const interrupted = await run(
        sandbox,
        `cd b && sed -i 's/"left"/"slow":"1.0.0","left"/' package.json && ${forget}; bun install > log 2>&1 & until grep -q 7003 bun.lock; do sleep 0.1; done; kill $!; wait; cmp x bun.lock && echo same`,
      );
      expect(interrupted.stdout).toBe('same\n');
      // The signal arrives at the worst moment: the lock file has changed, and bun has not started.
      const hook = `const fs = require('node:fs'), write = fs.writeFileSync; fs.writeFileSync = (...given) => { write(...given); fs.writeFileSync = write; process.kill(process.pid, 'SIGTERM'); };`;
      await sandbox.files.write('hook.cjs', hook);
      const early = await run(
        sandbox,
        `cd b && ${forget}; NODE_OPTIONS='--require /home/user/hook.cjs' bun install > log 2>&1; cmp x bun.lock && echo same`,
      );
      expect(early.stdout).toBe('same\n');
      await sandbox.kill();
    }, 180_000);

    it('[RG15] a registry of the project wins, and programs of packages run through the gateway', async () => {
      const sandbox = await create();
      const own = await run(
        sandbox,
        `${bunProject('own')} && printf '[install]\\nregistry = "http://refused.test/"\\n' > bunfig.toml && bun install`,
      );
      expect(own.exitCode).not.toBe(0);
      const missing = await run(sandbox, 'bun run missing-script');
      expect(missing.exitCode).toBe(1);
      for (const program of ['bunx create-hello', 'bun create hello']) {
        const { stdout, stderr } = await run(sandbox, `mkdir -p /tmp/x && cd /tmp/x && ${program}`);
        expect(`${program}: ${stdout}${stderr}`).toContain('it ran');
      }
      await sandbox.kill();
    }, 180_000);
  });

  it('[RG10] pip installs through the gateway, as user and as root', async () => {
    const sandbox = await create();
    for (const user of ['user', 'root'] as const) {
      const { stdout, stderr } = await run(
        sandbox,
        'python3 -m pip install -q --target t-$USER shiptest && PYTHONPATH=t-$USER python3 -c "import shiptest; print(shiptest.GREETING)"',
        user,
      );
      expect(`${stdout}${stderr}`).toContain('from the wheel');
    }
    await sandbox.kill();
  }, 180_000);

  it('[RG5] npm and pip name a refused registry immediately', async () => {
    const sandbox = await create({ network: { denyOut: ['0.0.0.0/0'] } });
    const startedMs = Date.now();
    const npm = await run(sandbox, 'mkdir -p p && cd p && npm install left');
    const pip = await run(sandbox, 'python3 -m pip install shiptest');
    const pinned = await run(sandbox, 'python3 -m pip install shiptest==1.0');
    for (const { stdout, stderr, exitCode } of [npm, pip, pinned]) {
      expect(`${stdout}${stderr}`).toMatch(
        /Ship.refuses.the.package.registry.host.127\.0\.0\.1.*sandbox.deny/i,
      );
      expect(exitCode).not.toBe(0);
    }
    expect(Date.now() - startedMs).toBeLessThan(30_000);
    await sandbox.kill();
  }, 120_000);

  it('[RG11] without the gateway, a sandbox has no settings for it, and its port reports that', async () => {
    const other = await preparedDataFolder();
    const without = await startSandboxServer({
      apiKey: API_KEY,
      dataDir: join(other, 'sandboxes'),
      registries: { enabled: false, home },
    });
    const { apiUrl, sandboxUrl } = without;
    const sandbox = await Sandbox.create('base', { apiKey: API_KEY, apiUrl, sandboxUrl });
    const { stdout } = await run(
      sandbox,
      'ls /run/registries; npm config get registry; python3 -m pip config list; curl -s http://127.0.0.1:7003/npm/left',
    );
    expect(stdout).toContain('https://registry.npmjs.org/');
    expect(stdout).toContain('switched off');
    expect(stdout).not.toMatch(/7003|npmrc/);
    await without.close('stop');
    removeFolder(other);
  }, 120_000);
});
