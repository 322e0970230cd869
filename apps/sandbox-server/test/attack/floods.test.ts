/** Thousands of connections, from programs on the host and from inside a sandbox; and leaks between pooled sandboxes. */
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Sandbox } from 'e2b';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FLOOD_SIZE, flood } from '../../../../scripts/testing/flood.ts';
import { preparedDataFolder } from '../../../../scripts/testing/prepared-data.ts';
import { removeFolder } from '../../../../scripts/testing/remove-folder.ts';
import { until } from '../conformance/target.ts';
import { startServer, type ServerProcess } from '../restart/server-process.ts';

/** A user's first start builds the template. */
const START_TIMEOUT_MS = 180_000;
const MAX_MEMORY_MB = 250;
const MAX_EGRESS_CONNECTIONS = 256;

let folder = '';
let server: ServerProcess;
let port = 0;

beforeAll(async () => {
  folder = await preparedDataFolder();
  server = await startServer(join(folder, 'sandboxes'), 1);
  port = Number(new URL(server.options.apiUrl).port);
}, START_TIMEOUT_MS);
afterAll(async () => {
  await server.terminate();
  removeFolder(folder);
});

const descriptors = (): number => readdirSync(`/proc/${server.pid}/fd`).length;
const poolIsReady = () =>
  until('the pool is ready', async () => {
    const pool = (await server.api('/ship/pool')) as { base?: { ready: number } };
    return pool.base?.ready === 1;
  });

describe('a sandbox from the pool', () => {
  it('[AT-15P] attack: finds something of the previous sandbox', async () => {
    await poolIsReady();
    const first = await Sandbox.create('base', {
      ...server.options,
      envs: { FORMER_SECRET: 'of-the-former' },
      metadata: { owner: 'former' },
      network: { allowOut: ['former.test'] },
    });
    const leaveTraces = `
      for place in /home/user /tmp /dev/shm /run /var/tmp /usr/local /etc /opt /root; do echo of-the-former > $place/former; done 2>/dev/null
      echo 'export FORMER=of-the-former' | tee -a /home/user/.bashrc /home/user/.profile /etc/profile >/dev/null 2>&1
      git config --system core.hooksPath /home/user/former 2>/dev/null; git config --global core.hooksPath /home/user/former
      (setsid python3 -m http.server 8099 >/dev/null 2>&1 &)
      curl -sS -m 3 http://refused.test/; true`;
    await first.commands.run(leaveTraces, { user: 'root' });
    await first.kill();
    await poolIsReady();
    const second = await Sandbox.create('base', server.options);
    const search = `
      env; cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n'
      grep -rIl 'of-the-[f]ormer' /home /tmp /dev/shm /run /var /usr/local /etc /opt /root 2>/dev/null
      git config --list --show-origin; id; curl -sS -m 3 http://127.0.0.1:8099/ 2>&1; ps -e -o args 2>/dev/null; true`;
    const { stdout } = await second.commands.run(search, { user: 'root' });
    expect(stdout).not.toMatch(/of-the-former|FORMER|http\.server|hooksPath|\/former/);
    expect(stdout).toContain('uid=');
    const info = await second.getInfo();
    expect(info.metadata).not.toHaveProperty('owner');
    expect(JSON.stringify(info)).not.toContain('former');
    expect(await server.api(`/ship/sandboxes/${second.sandboxId}/ledger`)).toMatchObject({
      entries: [],
    });
    expect(
      JSON.stringify(await server.api(`/v2/sandboxes/${second.sandboxId}/logs`)),
    ).not.toContain(first.sandboxId);
    await second.kill();
  });
});

describe('many connections', () => {
  it('[AT-15S] attack: shuts others out of the sandbox server with connections that never end', async () => {
    const before = await server.memoryInUseMb();
    const attack = await flood(port);
    expect(attack.open).toBe(FLOOD_SIZE);
    const sandbox = await Sandbox.create('base', server.options);
    expect((await sandbox.commands.run('echo served')).stdout).toBe('served\n');
    expect((await server.memoryInUseMb()) - before).toBeLessThan(MAX_MEMORY_MB);
    await attack.end();
    await sandbox.kill();
  });

  it('[AT-15D] attack: uses up the descriptors of the sandbox server, which then drops its sandboxes', async () => {
    const sandbox = await Sandbox.create('base', server.options);
    await poolIsReady();
    const pid = String(server.pid);
    const limit = descriptors() + 50;
    execFileSync('prlimit', ['--pid', pid, `--nofile=${limit}:20000`]);
    const attack = await flood(port, 400);
    // The server checks once a second that its sandboxes are alive: those it cannot check must not be dropped.
    await delay(2_500);
    await attack.end();
    execFileSync('prlimit', ['--pid', pid, '--nofile=20000:20000']);
    expect(await server.api(`/ship/sandboxes/${sandbox.sandboxId}`)).toMatchObject({
      presence: 'running',
      processesLostAt: null,
    });
    expect((await sandbox.commands.run('echo served')).stdout).toBe('served\n');
    await sandbox.kill();
  });

  it('[AT-15E] attack: from inside a sandbox, exhausts the descriptors that others need', async () => {
    const [attacker, other] = await Promise.all([
      Sandbox.create('base', server.options),
      Sandbox.create('base', server.options),
    ]);
    await poolIsReady();
    const before = descriptors();
    let most = 0;
    const { stdout } = await attacker.commands.run(
      `python3 -c "
import socket, resource
resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
held = []
for port in (3128, 7001, 7002, 7003):
    for i in range(400):
        s = socket.create_connection(('127.0.0.1', port)); s.sendall(b'GET / HTTP/1.1'); held.append(s)
print('holding', len(held), flush=True)
import time; time.sleep(3)
"`,
      { timeoutMs: 60_000, onStdout: () => void (most = Math.max(most, descriptors())) },
    );
    expect(stdout).toContain('holding 1600');
    expect(most - before).toBeLessThanOrEqual(MAX_EGRESS_CONNECTIONS + 50);
    expect((await other.commands.run('echo served')).stdout).toBe('served\n');
    await Promise.all([attacker.kill(), other.kill()]);
  });
});
