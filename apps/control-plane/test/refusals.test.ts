import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { entryFor, withEntry } from '@ship/core';
import { DEFAULT_HOSTS, type DurableEvent } from '@ship/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { git, write } from './git/support/git.ts';
import { WholeWorld } from './support/whole-world.ts';

const MINUTE_MS = 60_000;
const REGISTRY = 'registry.corp.test';
const PRIVATE = '10.9.9.9';

/** Waits for Ship's line in the setup log: it must appear while the setup still runs. */
const SETUP = `echo begin
curl -sS http://other.test/ || true
curl -sSf http://${REGISTRY}/ready && exit 0
for i in $(seq 200); do grep -q 'Ship refused ${REGISTRY}' /tmp/ship-setup.log && break; sleep 0.1; done
echo end
exit 1
`;
const RULES = [
  { name: 'say', when: { prompt: { regex: 'Say hello' } }, steps: [{ say: 'Hello.' }] },
];

const refusals = (events: readonly DurableEvent[]) =>
  events.flatMap(({ type, data }) => (type === 'egress.refused' ? [data] : []));

/** With the real control plane, sandbox, agent and forge. */
describe('a host that Ship refuses', { timeout: 3 * MINUTE_MS }, () => {
  let world: WholeWorld;
  let registry: Server;
  const dialled: string[] = [];

  beforeAll(async () => {
    registry = createServer((_request, response) => response.end('ready'));
    await new Promise<void>((done) => registry.listen(0, '127.0.0.1', done));
    const { port } = registry.address() as AddressInfo;
    const outside = {
      resolve: async (host: string) => [host === REGISTRY ? PRIVATE : '93.184.216.34'],
      dial: async (address: string, dialledPort: number) => {
        dialled.push(`${address}:${dialledPort}`);
        return connect(port, '127.0.0.1');
      },
    };
    world = await WholeWorld.open(RULES, 0, { outside, seesRequests: true });
    await world.call('PATCH', '/api/settings', { egress: { allow: [DEFAULT_HOSTS, REGISTRY] } });
  }, 3 * MINUTE_MS);
  afterAll(async () => {
    await world.close();
    registry.close();
  }, MINUTE_MS);

  it('[NW11] appears in the setup log and the session at once; once allowed, the retry works', async () => {
    const repository = join(world.folder, 'needs-registry');
    await write(repository, { 'a.txt': 'a', '.ship/setup.sh': SETUP });
    await git(repository, 'init', '-q', '-b', 'main');
    await git(repository, 'add', '-A');
    await git(repository, 'commit', '-q', '-m', 'first');
    const sessionId = await world.newSession(repository, 'Say hello');
    const failed = await world.rest(sessionId);
    expect(failed.activity).toMatchObject({ status: 'failed', error: { code: 'setup-failed' } });
    const { error } = failed.activity as { error: { message: string } };
    expect(error.message).toMatch(
      /begin[\s\S]*Ship refused registry\.corp\.test at 10\.9\.9\.9 \(rule address\)[\s\S]*end/,
    );
    const refused = refusals(await world.events(sessionId));
    expect(refused.map(({ host, rule, address }) => [host, rule, address])).toEqual([
      ['other.test', 'not-listed', undefined],
      [REGISTRY, 'address', PRIVATE],
    ]);
    expect(dialled).toEqual([]);

    const entry = refused.map(entryFor).at(-1) ?? '';
    expect(entry).toBe(`${REGISTRY}=${PRIVATE}`);
    const allow = withEntry([DEFAULT_HOSTS, REGISTRY], entry);
    await world.call('PATCH', '/api/settings', { egress: { allow } });
    await world.call('POST', `/api/sessions/${sessionId}/sandbox/network`);
    await world.call('POST', `/api/sessions/${sessionId}/retry`, { requestId: 'retry-refused-1' });
    const done = await world.rest(sessionId);
    expect(done.activity).toEqual({ status: 'idle' });
    expect(dialled).toEqual([`${PRIVATE}:80`]);
    // The prompt names the host that is still refused, not the one that is allowed now.
    const request = world.parts.newestRequest();
    expect(request).toContain('Ship refused other.test (rule not-listed)');
    expect(request).not.toContain(`Ship refused ${REGISTRY}`);
  });
});
