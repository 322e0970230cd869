/** Attacks that take over the supervisor inside a sandbox, and what a compromised supervisor could still send. */
import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Sandbox } from 'e2b';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { API_KEY, startHarness, type Harness } from '../unit/harness.ts';
import { openAttackHarness, type AttackHarness } from './attack-harness.ts';

describe('a supervisor that receives signals from inside', () => {
  let harness: AttackHarness;
  beforeAll(async () => {
    harness = await openAttackHarness();
    await harness.start('signalled');
  }, 60_000);
  afterAll(() => harness.end(), 60_000);

  it('[AT-C1b] attack: SIGUSR1 opens Node’s inspector on the supervisor, which runs any code that a client sends', async () => {
    const { output, exitCode } = await harness.python(
      'signalled',
      `
import glob, signal, time
supervisors = [int(path.split('/')[2]) for path in glob.glob('/proc/[0-9]*/cmdline')
               if open(path, 'rb').read().startswith(b'/opt/envd/envd\\0')]
before = [line.split()[1] for line in open('/proc/net/tcp')][1:]
for pid in supervisors: os.kill(pid, signal.SIGUSR1)
# The inspector's thread listens some milliseconds later; a supervisor that has served a command since has handled the signal.
for _ in range(40):
    time.sleep(0.025)
    opened = [line.split()[1] for line in open('/proc/net/tcp')][1:]
    if opened != before: break
print('supervisors', len(supervisors), 'opened', sorted(set(opened) - set(before)))
`,
      'root',
    );
    expect(exitCode).toBe(0);
    expect(output).toMatch(/supervisors [1-9]\d* opened \[\]/);
    expect(await harness.backend.presence('signalled')).toBe('running');
  });
});

describe('a compromised supervisor', () => {
  let harness: Harness;
  let canary: Server;
  const seen: string[] = [];
  beforeAll(async () => {
    harness = await startHarness();
    canary = createServer((request, response) => {
      seen.push(`${request.url} ${String(request.headers['x-access-token'])}`);
      response.end('secret of the host');
    });
    await new Promise<void>((resolve) => canary.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    canary.close();
    await harness.dispose();
  });
  const elsewhere = () => `http://127.0.0.1:${(canary.address() as AddressInfo).port}/secret`;

  const ask = (headers: Record<string, string>) =>
    fetch(`${harness.server.sandboxUrl}/files`, { headers, redirect: 'manual' });

  it('[AT-C1c] attack: a redirect from the supervisor leads E2B’s SDK, and the sandbox’s token with it, to a port of the host', async () => {
    const id = await harness.create({ secure: true });
    const { apiUrl, sandboxUrl } = harness.server;
    const sandbox = await Sandbox.connect(id, { apiKey: API_KEY, apiUrl, sandboxUrl });
    harness.backend.redirectTo = elsewhere();
    expect(await sandbox.files.read('/any').catch(() => 'refused')).toBe('refused');
    expect(await sandbox.commands.run('any').catch(() => 'refused')).toBe('refused');
    const direct = await ask({ 'e2b-sandbox-id': id });
    expect(seen).toEqual([]);
    expect(direct.status).toBe(502);
    expect(direct.headers.get('location')).toBeNull();
    const { pathname } = new URL(elsewhere());
    expect(await direct.text()).not.toContain(pathname);
  });

  it('[SV10] an upgrade never reaches it, because its answer would not be inspected', async () => {
    const id = await harness.create();
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      httpRequest(harness.server.sandboxUrl, {
        headers: { 'e2b-sandbox-id': id, connection: 'upgrade', upgrade: 'websocket' },
      })
        .once('upgrade', () => reject(new Error('upgraded')))
        .once('response', resolve)
        .once('error', reject)
        .end();
    });
    answer.resume();
    expect(answer.statusCode).toBe(400);
  });

  it('[SV10] a redirect of a program on another port passes', async () => {
    const id = await harness.create();
    harness.backend.redirectTo = '/login';
    const answer = await ask({ 'e2b-sandbox-id': id, 'e2b-sandbox-port': '8080' });
    expect(answer.status).toBe(307);
    expect(answer.headers.get('location')).toBe('/login');
  });
});
