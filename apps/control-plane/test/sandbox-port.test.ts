import { join } from 'node:path';
import { createId } from '@ship/protocol';
import { type SandboxServer, startSandboxServer } from '@ship/sandbox-server';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { preparedDataFolder } from '../../../scripts/testing/prepared-data.ts';
import { openOutside } from './support/outside.ts';
import { E2bSandboxes } from '../src/sandbox/e2b.ts';
import type { SandboxPort } from '../src/sandbox/port.ts';
import { removeFolder } from '../../../scripts/testing/remove-folder.ts';

/** The contract of the port. The same cases run against E2B's cloud when a key is given. */
const cloudKey = process.env.SHIP_TEST_E2B_API_KEY;
const MINUTE_MS = 60_000;

describe('sandbox port over E2B’s SDK', { timeout: MINUTE_MS }, () => {
  let port: SandboxPort;
  let server: SandboxServer | undefined;
  let folder: string | undefined;
  let outside: Awaited<ReturnType<typeof openOutside>> | undefined;

  beforeAll(async () => {
    if (cloudKey !== undefined) {
      port = new E2bSandboxes({ apiKey: cloudKey });
      return;
    }
    folder = await preparedDataFolder();
    outside = await openOutside();
    server = await startSandboxServer({
      apiKey: 'e2b_0123456789',
      dataDir: join(folder, 'sandboxes'),
      ...outside.parts,
    });
    port = new E2bSandboxes({
      apiKey: 'e2b_0123456789',
      apiUrl: server.apiUrl,
      sandboxUrl: server.sandboxUrl,
    });
  }, MINUTE_MS);

  afterAll(async () => {
    await server?.close('stop');
    outside?.close();
    if (folder !== undefined) removeFolder(folder);
  }, MINUTE_MS);

  async function withSandbox(
    use: (sandboxId: string) => Promise<void>,
    sessionId = createId('ses'),
  ) {
    const sandboxId = await port.create({
      sessionId,
      template: 'base',
      timeoutMs: MINUTE_MS,
      env: { PLANET: 'mars' },
      egress: [],
    });
    try {
      await use(sandboxId);
    } finally {
      await port.destroy(sandboxId);
    }
  }

  it('[SX2] runs commands as argv, with environment, folder and exit code; a failing command is an outcome, not an error', async () => {
    await withSandbox(async (id) => {
      const seen = await port.run(id, {
        argv: ['bash', '-c', 'echo $PLANET $PWD; exit 3'],
        cwd: '/tmp',
        timeoutMs: 10_000,
      });
      expect(seen).toEqual({ exitCode: 3, stdout: 'mars /tmp\n', stderr: '' });
      const literal = await port.run(id, {
        argv: ['printf', '%s', "$(id) `id` 'x' *"],
        timeoutMs: 10_000,
      });
      expect(literal.stdout).toBe("$(id) `id` 'x' *");
    });
  });

  it('[SX3] an interrupted create is found again by its session', async () => {
    const sessionId = createId('ses');
    await withSandbox(async (id) => {
      expect(await port.findAll(sessionId)).toEqual([id]);
      expect(await port.findAll(createId('ses'))).toEqual([]);
    }, sessionId);
    expect(await port.findAll(sessionId)).toEqual([]);
  });

  it('[SX4] frozen processes continue; sleep ends processes and keeps files', async () => {
    await withSandbox(async (id) => {
      // Renamed into place: sleep may come between the truncation of a file and its first byte.
      const counter =
        'i=0; while :; do i=$((i+1)); echo $i > /home/user/next; mv /home/user/next /home/user/count; sleep 0.05; done';
      await port.run(id, {
        argv: [
          'bash',
          '-c',
          `nohup bash -c '${counter}' >/dev/null 2>&1 & echo $! > /home/user/pid`,
        ],
        timeoutMs: 10_000,
      });
      const alive = () =>
        port.run(id, { argv: ['bash', '-c', 'kill -0 $(cat /home/user/pid)'], timeoutMs: 10_000 });
      await port.freeze(id);
      expect(await port.presence(id)).toBe('frozen');
      await port.wake(id, MINUTE_MS);
      expect(await port.presence(id)).toBe('running');
      expect((await alive()).exitCode).toBe(0);
      await port.sleep(id);
      await port.wake(id, MINUTE_MS);
      expect((await alive()).exitCode).not.toBe(0);
      expect(Number(await port.readFile(id, '/home/user/count'))).toBeGreaterThan(0);
    });
  });

  it('[SX8] a capture exists under its name until it is forgotten; sandboxes made from it stay usable', async () => {
    const name = `ship-port-${createId('ses').slice(-12)}`;
    expect(await port.hasCaptured(name)).toBe(false);
    await withSandbox(async (sandboxId) => {
      await port.writeFile(sandboxId, '/home/user/kept.txt', 'kept');
      await port.capture(sandboxId, name);
    });
    expect(await port.hasCaptured(name)).toBe(true);
    const source = { template: 'base', preferred: ['ship-port-none', name] };
    const rest = { sessionId: createId('ses'), timeoutMs: MINUTE_MS, env: {}, egress: [] };
    const made = await port.create({ ...source, ...rest });
    await port.forget(name);
    expect(await port.hasCaptured(name)).toBe(false);
    expect(await port.readFile(made, '/home/user/kept.txt')).toBe('kept');
    await port.destroy(made);
    await port.forget(name);
    const build = await port.buildOf('base');
    expect(build).not.toBe('');
    expect(await port.buildOf('base')).toBe(build);
  });

  it('[SX9] a command that prints too much is killed, and a file that is too large is refused', async () => {
    await withSandbox(async (sandboxId) => {
      const argv = ['bash', '-c', 'yes; echo never > ended'] as const;
      const run = port.run(sandboxId, { argv, timeoutMs: MINUTE_MS, maxOutputBytes: 100_000 });
      await expect(run).rejects.toMatchObject({ error: { code: 'limit-reached' } });
      const large = ['truncate', '-s', '20M', 'large'] as const;
      await port.run(sandboxId, { argv: large, cwd: '/tmp', timeoutMs: MINUTE_MS });
      await expect(port.readFile(sandboxId, '/tmp/large')).rejects.toMatchObject({
        error: { code: 'too-large' },
      });
      await expect(port.readFile(sandboxId, '/home/user/ended')).rejects.toThrow();
    });
  });

  it('[SX5] files are written and read unchanged', async () => {
    await withSandbox(async (id) => {
      const text = 'größe\n"quoted" $x\r\n\u{1f680}';
      await port.writeFile(id, '/home/user/deep/er/file.txt', text);
      expect(await port.readFile(id, '/home/user/deep/er/file.txt')).toBe(text);
    });
  });

  it('[SX7] a started program keeps running and is reachable on its port', async () => {
    await withSandbox(async (id) => {
      const program = `require('node:http').createServer((q, a) => a.end(process.env.COLOUR + ' ' + process.cwd() + ' ' + q.url)).listen(3000, '127.0.0.1')`;
      await port.start(id, {
        argv: ['node', '-e', program],
        cwd: '/tmp',
        env: { COLOUR: "it's red" },
      });
      const { url, headers } = await port.reach(id, 3000);
      await vi.waitFor(
        async () => {
          const answer = await fetch(`${url}/path`, { headers });
          expect(await answer.text()).toBe("it's red /tmp /path");
        },
        { timeout: 20_000, interval: 200 },
      );
      const closed = await port.reach(id, 3999);
      const refused = await fetch(closed.url, { headers: closed.headers });
      expect(refused.status).toBe(502);
    });
  });

  it.skipIf(cloudKey !== undefined)(
    '[NW1] a sandbox reaches only the hosts of its list; without a list, those of its service',
    async () => {
      const status = async (id: string, host: string) => {
        const argv = ['curl', '-s', '-m', '20', '-o', '/dev/null', '-w', '%{http_code}'] as const;
        return (await port.run(id, { argv: [...argv, `http://${host}/`], timeoutMs: 30_000 }))
          .stdout;
      };
      const seen = async (id: string) =>
        Promise.all(['mine.test', 'a.mine.test', 'pypi.org'].map((host) => status(id, host)));
      await withSandbox(async (id) => {
        expect(await seen(id)).toEqual(['403', '403', '200']);
        await port.limitEgress(id, ['mine.test', '*.mine.test']);
        expect(await seen(id)).toEqual(['200', '200', '403']);
        // A sandbox that slept starts again with the same rules.
        await port.sleep(id);
        await port.wake(id, MINUTE_MS);
        expect(await seen(id)).toEqual(['200', '200', '403']);
        await port.limitEgress(id, []);
        expect(await seen(id)).toEqual(['403', '403', '200']);
      });
      const source = { template: 'base', timeoutMs: MINUTE_MS, egress: ['mine.test'] };
      const made = await port.create({ ...source, sessionId: createId('ses'), env: {} });
      const builder = (await port.createBuilder({ ...source, name: 'empty-builder' })) ?? '';
      try {
        expect(await seen(made)).toEqual(['200', '403', '403']);
        expect(await seen(builder)).toEqual(['200', '403', '403']);
      } finally {
        await port.destroy(made);
        await port.destroy(builder);
      }
    },
  );

  it('[SX6] a destroyed sandbox is absent; freeze and destroy are idempotent', async () => {
    let gone = '';
    await withSandbox(async (id) => {
      gone = id;
      await port.freeze(id);
      await port.freeze(id);
    });
    expect(await port.presence(gone)).toBe('absent');
    await port.destroy(gone);
  });
});
