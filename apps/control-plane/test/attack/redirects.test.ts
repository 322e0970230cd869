/** Attacks on the control plane by responses from a sandbox: real workerd, sandbox server, sandbox and agent. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Sandbox } from 'e2b';
import { ShipFailure } from '@ship/protocol';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { OpencodeAgent } from '../../src/agent/opencode/agent.ts';
import { OpencodeServer } from '../../src/agent/opencode/server.ts';
import { git, write } from '../git/support/git.ts';
import { LOCAL_TOKEN } from '../harness.ts';
import { Api, newRequestId, until } from '../harness/api.ts';
import { ControlPlane } from '../harness/control-plane.ts';
import { SandboxApiProxy } from '../harness/sandbox-api-proxy.ts';
import { WholeWorld } from '../support/whole-world.ts';
import { API_KEY } from '../support/world-parts.ts';
import { type Canary, openCanary } from './canary.ts';
import { AGENT_PORT, replaceAgent } from './impostor.ts';

const MINUTE_MS = 60_000;
const GIVEN_UP = 'turn.retry-scheduled';
describe('responses from inside a sandbox', { timeout: 3 * MINUTE_MS }, () => {
  let world: WholeWorld;
  let canary: Canary;
  let repository = '';
  const sandboxOf = async (sessionId: string) => {
    const { apiUrl, sandboxUrl } = world.parts.sandboxes;
    const connection = { apiKey: API_KEY, apiUrl, sandboxUrl };
    const query = { metadata: { 'ship-session': sessionId } };
    const [found] = await Sandbox.list({ ...connection, query }).nextItems();
    return Sandbox.connect(found?.sandboxId ?? '', connection);
  };
  let plain: Promise<string> | undefined;
  /** A shared sandbox without an agent. */
  const sandboxFor = () => {
    const { apiUrl, sandboxUrl } = world.parts.sandboxes;
    plain ??= Sandbox.create('base', { apiKey: API_KEY, apiUrl, sandboxUrl }).then(
      ({ sandboxId }) => sandboxId,
    );
    return plain;
  };
  beforeAll(async () => {
    canary = await openCanary();
    world = await WholeWorld.open([
      { name: 'hello', when: { prompt: '*' }, steps: [{ say: 'Hello.' }] },
    ]);
    repository = join(world.folder, 'hostile');
    await write(repository, { 'README.md': '# Hostile\n' });
    await git(repository, 'init', '-q', '-b', 'main');
    await git(repository, 'add', '-A');
    await git(repository, 'commit', '-q', '-m', 'first');
  }, 3 * MINUTE_MS);
  afterAll(async () => {
    canary.close();
    await world.close();
  }, MINUTE_MS);

  it('[AT-C1a] attack: a program on the agent’s port makes the control plane call a port of the host', async () => {
    const sessionId = await world.newSession(repository, 'Say hello.');
    await world.rest(sessionId);
    const sandbox = await sandboxOf(sessionId);
    await replaceAgent(
      sandbox,
      `return self.say(307, b'{}', location='${canary.url}' + self.path)`,
    );
    await world.call('POST', `/api/sessions/${sessionId}/prompts`, {
      requestId: newRequestId(),
      text: 'Say hello again.',
    });
    // A followed redirect would arrive before the attempt fails.
    await until(
      () => world.events(sessionId),
      (events) => canary.seen.length > 0 || events.some(({ type }) => type === GIVEN_UP),
      2 * MINUTE_MS,
    );
    const log = await sandbox.files.read('/tmp/impostor.log');
    expect(log).toMatch(/^GET \/session/m);
    expect(canary.seen).toEqual([]);
  });

  it('[AT-C1d] attack: a redirect on the way to a sandbox’s files takes the control plane, and the sandbox’s token, elsewhere', async () => {
    // As if the sandbox server forwarded the redirect.
    const sandboxApi = await SandboxApiProxy.open(world.parts.sandboxes.apiUrl);
    const folder = join(world.folder, 'second');
    mkdirSync(folder);
    const plane = await ControlPlane.start(folder, {
      LOCAL_TOKEN,
      SECRETS_KEYS: '0123456789abcdef'.repeat(4),
      E2B_API_URL: sandboxApi.url,
      E2B_SANDBOX_URL: sandboxApi.url,
      E2B_API_KEY: API_KEY,
    });
    onTestFinished(async () => {
      await plane.kill();
      await sandboxApi.stop();
    });
    const api = new Api(plane.url, LOCAL_TOKEN);
    const { sessionId } = await api.create();
    await until(
      () => api.view(sessionId),
      ({ state }) => state.sandbox.status === 'running',
    );
    const files = `/sessions/${sessionId}/sandbox/files`;
    expect((await api.call('GET', `${files}?path=/etc`)).status).toBe(200);
    const faults = [/ListDir/, /GET \/files/, /POST \/files/, /Stat/].map((match) => ({
      match,
      status: 307,
      location: `${canary.url}/from-inside`,
    }));
    for (const fault of faults) {
      sandboxApi.fault = fault;
      await api.call('GET', `${files}?path=/etc`);
      const read = await api.call('GET', `${files}/content?path=/etc/hostname`);
      expect(read.text).not.toContain('of this machine');
      await api.call('PUT', `${files}/content?path=/tmp/a`, { a: 1 });
    }
    expect(sandboxApi.seen.some((line) => /GET \/files/.test(line))).toBe(true);
    expect(canary.seen).toEqual([]);
  });

  it.each([
    ['the response of another server', `return self.say(200, b'{"secret":"of this machine"}')`],
    ['another session’s conversation', `return self.say(200, b'{"id":"ses_other","title":"x"}')`],
    [
      'more than fits',
      `body = b'{"id":"ses_mine","title":"' + b'x' * (48 << 20) + b'"}'
        return self.say(200, body if self.path.count('/') == 2 else b'[]')`,
    ],
  ])(
    '[AT-C1e] attack: a program on the agent’s port makes Ship store, and restore in the next sandbox, %s',
    async (_, answer) => {
      const sandboxId = await sandboxFor();
      const { apiUrl, sandboxUrl } = world.parts.sandboxes;
      const sandbox = await Sandbox.connect(sandboxId, { apiKey: API_KEY, apiUrl, sandboxUrl });
      await replaceAgent(sandbox, answer);
      const headers = { 'E2b-Sandbox-Id': sandboxId, 'E2b-Sandbox-Port': String(AGENT_PORT) };
      const agent = new OpencodeAgent(
        new OpencodeServer({ url: sandboxUrl, headers }, 'password', '/home/user/repository'),
        { readFile: () => Promise.resolve(''), rest: () => Promise.resolve() },
      );
      const stored = await agent.exportSession('ses_mine').catch((error: unknown) => error);
      expect(stored).toBeInstanceOf(ShipFailure);
    },
  );
});
