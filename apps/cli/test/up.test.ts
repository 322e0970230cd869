import { spawn } from 'node:child_process';
import { removeFolder } from '../../../scripts/testing/remove-folder.ts';
import { mkdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../../scripts/testing/free-port.ts';
import { preparedDataFolder } from '../../../scripts/testing/prepared-data.ts';
import { redeemCode } from '../../../scripts/testing/sign-in.ts';
import {
  type Running,
  end,
  launchOnTerminal,
  launchShip,
  preparedFolder,
  processesWith,
  readHealth,
  ship,
  temporaryFolder,
  until,
  untilHealthy,
  untilReady,
} from './ship.ts';
import { processesIn } from './endurance/processes.ts';

async function start(given?: string, port?: number, readyTimeoutMs?: number) {
  const folder = given ?? (await preparedFolder());
  const chosen = port ?? (await freePort());
  const running = ship(upArguments(chosen, folder));
  await untilReady(running, readyTimeoutMs);
  return { running, port: chosen, folder };
}

const workerdOf = (folder: string) => processesWith(`objects=${folder}`).at(0);

const upArguments = (port: number, folder: string) => [
  'up',
  '--no-open',
  '--port',
  String(port),
  '--data',
  folder,
];

/** Tests that do not stop Ship share one: a start takes two seconds of processor time. */
describe('ship up while it runs', { timeout: 60_000 }, () => {
  let running: Running;
  let folder: string;
  let port: number;

  beforeAll(async () => {
    folder = await preparedDataFolder();
    port = await freePort();
    running = launchShip(upArguments(port, folder));
    await untilReady(running);
  }, 60_000);
  afterAll(async () => {
    await end(running);
    removeFolder(folder);
  }, 60_000);

  it('[UP1] serves web app and API on one port and prints one line', async () => {
    expect(running.output()).toContain(`ship: ready http://ship.localhost:${port}\n`);
    const health = await untilHealthy(port, folder);
    expect(health.parts.map(({ name }) => name)).toEqual([
      'host',
      'control-plane',
      'sandboxes',
      'forge',
      'demo-model',
      'storage',
    ]);
    const route = await fetch(`http://localhost:${port}/some/client/route`);
    expect(route.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(await route.text()).toContain('<div id="root">');
  });

  it('[UP13] redirected output has no sign-in link, and says how to get one', async () => {
    expect(running.output()).not.toContain('#sign-in');
    expect(running.output()).toContain(`npx --no-install ship open --data ${folder}\n`);
    const opened = ship(['open', '--data', folder, '--json']);
    expect(await opened.exited).toBe(0);
    const { url } = JSON.parse(opened.output().trim().split('\n').at(-1) ?? '') as { url: string };
    expect((await redeemCode(url, url.split('#sign-in=')[1] ?? '')).status).toBe(204);
  });

  it('[UP5] a second instance on the same data folder is refused with the URL of the first', async () => {
    const second = ship(upArguments(await freePort(), folder));
    expect(await second.exited).toBe(1);
    expect(second.output()).toContain(`another Ship is using the data folder ${folder}`);
    expect(second.output()).toContain(`http://ship.localhost:${port}`);
    expect(second.output()).not.toContain('    at ');
    await untilHealthy(port, folder);
  });

  it('[UP8] only its owner can enter the data folder’s private parts', () => {
    for (const name of ['objects', 'run', 'logs'])
      expect(statSync(join(folder, name)).mode & 0o077).toBe(0);
  });

  it('[UP2] restarts a killed control plane, and health reports it; state survives', async () => {
    const before = await untilHealthy(port, folder);
    process.kill(await until('workerd', () => workerdOf(folder)), 'SIGKILL');
    const after = await until('a restarted control plane', async () => {
      const health = await readHealth(port, folder);
      const part = health?.parts.find(({ name }) => name === 'control-plane');
      return part?.restarts === 1 && part.state === 'up' ? health : undefined;
    });
    const storage = (health: typeof before) =>
      health.parts.find(({ name }) => name === 'storage')?.detail;
    expect(after.parts.find(({ name }) => name === 'control-plane')?.detail).toContain('SIGKILL');
    expect(storage(after)).toBe(storage(before));
  });
});

describe('ship up', { timeout: 60_000 }, () => {
  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    '[UP3] %s ends everything within 5 s',
    async (signal) => {
      const { running, port, folder } = await start();
      const socket = new WebSocket(`ws://127.0.0.1:${port}/api/nothing`);
      await new Promise((resolve) => socket.addEventListener('error', resolve));
      const startedAtMs = Date.now();
      running.process.kill(signal);
      expect(await running.exited).toBe(0);
      expect(Date.now() - startedAtMs).toBeLessThan(5_000);
      expect(processesWith(folder)).toEqual([]);
      expect(running.output()).toContain('ship: stopped');
    },
  );

  it('[UP19] a second signal does not interrupt the shutdown, even during its first sandbox', async () => {
    const folder = await preparedFolder();
    const running = ship(upArguments(await freePort(), folder));
    // It starts one to check whether this machine can isolate.
    await until('a sandbox', () => processesIn(folder).length > 2 || undefined, undefined, 1);
    for (const signal of ['SIGTERM', 'SIGTERM', 'SIGINT', 'SIGINT'] as const) {
      running.process.kill(signal);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(await running.exited).toBe(0);
    expect(running.output()).toContain('ship: stopped');
    expect(processesIn(folder)).toEqual([]);
  });

  it('[UP16] stops although its data folder was deleted, reports it, and shows no stack trace', async () => {
    const { running, folder } = await start();
    removeFolder(folder);
    running.process.kill('SIGTERM');
    expect(await running.exited).toBe(1);
    expect(running.output()).toContain('did not stop cleanly');
    expect(running.output()).not.toContain('    at ');
    expect(processesWith(folder)).toEqual([]);
  });

  it('[UP4] after kill -9 of the host nothing holds the port, and the next start finds the state', async () => {
    const { running, port, folder } = await start();
    const before = await untilHealthy(port, folder);
    running.process.kill('SIGKILL');
    await until('no process left', () => (processesWith(folder).length === 0 ? true : undefined));
    await start(folder, port);
    const after = await untilHealthy(port, folder);
    expect(after.parts.at(-1)?.detail).toBe(before.parts.at(-1)?.detail);
  });

  it.each(['127.0.0.1', '::1'])(
    '[UP6] a port that is busy on %s gives a suggestion',
    async (host) => {
      const port = await freePort();
      const other = createServer();
      await new Promise<void>((resolve) => other.listen(port, host, resolve));
      onTestFinished(() => void other.close());
      const running = ship(upArguments(port, temporaryFolder()));
      expect(await running.exited).toBe(1);
      expect(running.output()).toMatch(
        /^ship: port \d+ is in use by another program\n.*npm start -- --port \d+\n$/s,
      );
    },
  );

  it('[UP7] works with a data folder whose path exceeds the limit of socket paths', async () => {
    const parent = join(temporaryFolder(), 'd'.repeat(100));
    const folder = join(parent, 'e'.repeat(100));
    mkdirSync(parent);
    renameSync(await preparedFolder(), folder);
    const { port } = await start(folder);
    await untilHealthy(port, folder);
  });

  it('[UP9] a data folder that cannot be created gives a message, not a stack trace', async () => {
    const running = ship(['up', '--no-open', '--data', '/dev/null/data']);
    expect(await running.exited).toBe(1);
    expect(running.output()).toContain('cannot use the data folder /dev/null/data');
    expect(running.output()).toContain('--data FOLDER');
  });

  it(
    '[UP11] told to stop while it still prepares its first sandbox template, it ends, and the next start completes',
    { timeout: 180_000 },
    async () => {
      const folder = temporaryFolder();
      const running = ship(upArguments(await freePort(), folder));
      await until('the template being built', () =>
        running.output().includes('ship: template base') ? true : undefined,
      );
      running.process.kill('SIGTERM');
      expect(await running.exited).toBe(0);
      await until('no process left', () => (processesWith(folder).length === 0 ? true : undefined));
      // It builds the template, 400 MB of packages: on a busy machine that takes longer than the timeout of other starts.
      const { running: next, port } = await start(folder, undefined, 120_000);
      // The first start did not wait for its template: the next one must still build it.
      expect(next.output()).toContain('ship: template base');
      await untilHealthy(port, folder);
    },
  );

  it('[UP1] on a terminal the ready line has a sign-in link', async () => {
    const folder = await preparedFolder();
    const running = launchOnTerminal(upArguments(await freePort(), folder));
    onTestFinished(() => end(running));
    const link = await until('the ready line', () =>
      /^ship: ready (http:\S+)\r?$/m.exec(running.output())?.at(1),
    );
    expect((await redeemCode(link, link.split('#sign-in=')[1] ?? '')).status).toBe(204);
  });

  it('[UP10] ends when the script that ran npm start is killed', async () => {
    const folder = await preparedFolder();
    const root = fileURLToPath(new URL('../../..', import.meta.url));
    // npm is not the script's last command, so that the shell stays its parent, as in a CI step.
    const script = `npm start -- --no-open --port ${await freePort()} --data ${folder} >${folder}/out 2>&1; :`;
    const launcher = spawn('/bin/sh', ['-c', script], {
      cwd: root,
      stdio: 'ignore',
      detached: true,
    });
    onTestFinished(() => {
      for (const pid of processesWith(folder)) process.kill(pid, 'SIGKILL');
    });
    await until('the ready line', () =>
      /^ship: ready/m.test(readOr(`${folder}/out`)) ? true : undefined,
    );
    launcher.kill('SIGKILL');
    await until('no process left', () => (processesWith(folder).length === 0 ? true : undefined));
    expect(readOr(`${folder}/out`)).toContain('ship: stopped');
  });
});

function readOr(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
