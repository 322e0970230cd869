/** Capabilities that leak from their sandbox, or outlive it or its session, used from inside real sandboxes. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gatewayRemote, gitCapabilities } from '../../src/git/gateway/capability.ts';
import { connectForge } from '../../src/git/index.ts';
import { modelCapabilities } from '../../src/models/gateway/capability.ts';
import { E2bSandboxes } from '../../src/sandbox/e2b.ts';
import { type Holder, holderAt } from '../git/support/bearer.ts';
import { LOCAL_TOKEN, SECRET } from '../git/support/control-plane.ts';
import { repository } from '../git/support/git.ts';
import { WholeWorld } from '../support/whole-world.ts';
import { API_KEY, FORGE_TOKEN } from '../support/world-parts.ts';

const MINUTE_MS = 60_000;
const INSIDE = { models: 'http://127.0.0.1:7001', git: 'http://127.0.0.1:7002' };
const MODELS_PATH = '/gateway/models/demo/chat/completions';
const CALL = JSON.stringify({ model: 'demo', messages: [{ role: 'user', content: 'hello' }] });

/** The capabilities of a session's sandbox, which any program there can read. */
interface Loot {
  /** The path of the repository at the gateway. */
  path: string;
  /** The agent's token for the model gateway. */
  token: string;
}

describe('capabilities', { timeout: 3 * MINUTE_MS }, () => {
  let world: WholeWorld;
  let port: E2bSandboxes;
  let person: string;

  beforeAll(async () => {
    world = await WholeWorld.open([
      { name: 'any', when: { prompt: '*' }, steps: [{ say: 'Done.' }] },
    ]);
    const { apiUrl, sandboxUrl } = world.parts.sandboxes;
    port = new E2bSandboxes({ apiKey: API_KEY, apiUrl, sandboxUrl });
    person = await repository(join(world.folder, 'app'));
  }, 2 * MINUTE_MS);

  afterAll(() => world.close(), MINUTE_MS);

  const newSession = () => holderAt(world.parts.url, LOCAL_TOKEN, person);

  const lootOf = async (holder: Holder): Promise<Loot> => {
    const { apiUrl, gitUrl } = world.parts.forge;
    const bindings = { FORGE_API_URL: apiUrl, FORGE_GIT_URL: gitUrl, FORGE_TOKEN };
    const { kind, owner, name } = await connectForge(person, bindings);
    const claims = { ...holder, repository: { forge: kind, owner, name }, branch: 'ship-work' };
    const expiresAt = Date.now() + 10 * MINUTE_MS;
    const capability = await gitCapabilities(SECRET).issue(claims, expiresAt);
    return {
      path: gatewayRemote('', capability, claims),
      token: await modelCapabilities(SECRET).issue(holder, expiresAt),
    };
  };

  /** Uses the capabilities from inside a sandbox. */
  const useInside = async (sandboxId: string, { path, token }: Loot) => {
    const requests = world.parts.model.served().totals.requests;
    const curl = `curl -s -o /dev/null -H 'authorization: Bearer ${token}' -H 'x-ship-sandbox-id: any' -d '${CALL}'`;
    const script = `git ls-remote ${INSIDE.git}${path} main; ${curl} ${INSIDE.models}${MODELS_PATH}`;
    const argv = ['bash', '-c', script] as const;
    const { stdout } = await port.run(sandboxId, { argv, timeoutMs: MINUTE_MS });
    return {
      isRead: stdout.includes('refs/heads/main'),
      isCalled: world.parts.model.served().totals.requests > requests,
    };
  };

  /** Uses them from outside, as from a cloud, where no sandbox server identifies the sender. */
  const useOutside = async ({ path, token }: Loot) => {
    const { url } = world.parts;
    const headers = { authorization: `Bearer ${token}` };
    const [git, model] = await Promise.all([
      fetch(`${url}${path}/info/refs?service=git-upload-pack`),
      fetch(`${url}${MODELS_PATH}`, { method: 'POST', headers, body: CALL }),
    ]);
    await Promise.all([git.text(), model.text()]);
    return { isRead: git.ok, isCalled: model.ok };
  };

  const USED = { isRead: true, isCalled: true };
  const REFUSED = { isRead: false, isCalled: false };

  it('[AT-M4A] attack: uses the capabilities of one sandbox in another', async () => {
    const [first, second] = await Promise.all([newSession(), newSession()]);
    const loot = await lootOf(first);
    expect(await useInside(first.sandboxId, loot)).toEqual(USED);
    expect(await useInside(second.sandboxId, loot)).toEqual(REFUSED);
  });

  it('[AT-M4B] attack: uses capabilities after their sandbox was killed and replaced', async () => {
    const { sessionId, sandboxId } = await newSession();
    const loot = await lootOf({ sessionId, sandboxId });
    expect(await useOutside(loot)).toEqual(USED);
    await world.call('POST', `/api/sessions/${sessionId}/sandbox/kill`, {});
    expect(await useOutside(loot)).toEqual(REFUSED);
    const prompt = { requestId: crypto.randomUUID(), text: 'hello' };
    await world.call('POST', `/api/sessions/${sessionId}/prompts`, prompt);
    const current = async () => {
      const { sandbox } = await world.state(sessionId);
      return sandbox.status === 'running' ? sandbox.sandboxId : '';
    };
    await expect.poll(current, { timeout: MINUTE_MS, interval: 50 }).not.toBe('');
    const replacement = await current();
    expect(replacement).not.toBe(sandboxId);
    expect(await useOutside(loot)).toEqual(REFUSED);
    expect(await useOutside(await lootOf({ sessionId, sandboxId: replacement }))).toEqual(USED);
  });

  it('[AT-M4C] attack: uses capabilities after their session was deleted', async () => {
    const holder = await newSession();
    const loot = await lootOf(holder);
    expect(await useOutside(loot)).toEqual(USED);
    await world.call('DELETE', `/api/sessions/${holder.sessionId}`);
    expect(await useOutside(loot)).toEqual(REFUSED);
  });
});
