import { evictDurableObject } from 'cloudflare:test';
import { createId } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { gitCapabilities } from './capability.ts';
import { createGitGateway } from './index.ts';
import { memoryLedger } from '../../testing/push-ledger.ts';
import { newSession } from '../../testing/session.ts';
import type { PushLedger } from './push-allowance.ts';
import { FLUSH, joined, packet } from './pkt-line.ts';

const SECRET = '0123456789abcdef'.repeat(4);
const MB = 1024 ** 2;
const branch = 'ship-work';
const address = { FORGE_API_URL: 'http://forge.test', FORGE_GIT_URL: 'http://forge.test' };

/** A gateway with small limits, in front of a forge that accepts and counts everything. */
function world(sessionId = createId('ses'), pushLedger: PushLedger = memoryLedger()) {
  const received: number[] = [];
  const gateway = createGitGateway({
    secret: SECRET,
    bindings: { ...address, FORGE_TOKEN: 'token' },
    mayUse: async () => true,
    pushLedger,
    pushLimits: { pushBytes: 2 * MB, sessionBytes: 3 * MB },
    fetcher: async (input, init) => {
      const { body } = new Request(input, init);
      let bytes = 0;
      received.push(0);
      const at = received.length - 1;
      for await (const chunk of body ?? new ReadableStream<Uint8Array>()) {
        bytes += chunk.length;
        received[at] = bytes;
      }
      return new Response(joined([packet('unpack ok\n'), FLUSH]));
    },
  });
  const push = async (megabytes: number) => {
    const repository = { forge: 'local' as const, owner: 'ada', name: 'app' };
    const expiresAt = Date.now() + 60_000;
    const claims = { sessionId, sandboxId: 'sandbox', repository, branch };
    const capability = await gitCapabilities(SECRET).issue(claims, expiresAt);
    const zero = '0'.repeat(40);
    const command = `${zero} ${'1'.repeat(40)} refs/heads/${branch}\0 report-status\n`;
    const { readable, writable } = new IdentityTransformStream();
    const send = async () => {
      const writer = writable.getWriter();
      await writer.write(joined([packet(command), FLUSH]));
      for (let sent = 0; sent < megabytes; sent += 1) await writer.write(new Uint8Array(MB));
      await writer.close();
    };
    const url = `http://ship.test/gateway/git/${capability}/ada/app.git/git-receive-pack`;
    const [answer] = await Promise.all([
      gateway(new Request(url, { method: 'POST', body: readable, duplex: 'half' } as RequestInit)),
      send().catch(() => undefined),
    ]);
    return await answer.text();
  };
  return { push, received };
}

describe('the size of pushes', () => {
  it('[GG8] a push that fits reaches the forge whole', async () => {
    const { push, received } = world();
    expect(await push(1)).toContain('unpack ok');
    expect(received[0]).toBeGreaterThan(MB);
  });

  it('[GG8] one that is too large is cut off, and git shows why', async () => {
    const { push, received } = world();
    expect(await push(6)).toContain(`ng refs/heads/${branch} Ship: a push may have 2 MB at most`);
    expect(received[0]).toBeLessThanOrEqual(2 * MB);
  });

  it('[GG8] many pushes that fit alone are too much together', async () => {
    const { push, received } = world();
    expect(await push(1)).toContain('unpack ok');
    expect(await push(1)).toContain('unpack ok');
    expect(await push(1)).toContain('this session has pushed 3 MB');
    expect(await push(1)).toContain('this session has pushed 3 MB');
    expect(received.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(3 * MB);
  });

  it('[GG8] the session knows its pushed bytes after a restart', async () => {
    const { sessionId, stub } = await newSession();
    const stored: PushLedger = {
      take: (_, bytes, limit) => stub.takePushBytes(bytes, limit),
      giveBack: (_, bytes) => stub.returnPushBytes(bytes),
    };
    const before = world(sessionId, stored);
    expect(await before.push(1)).toContain('unpack ok');
    expect(await before.push(1)).toContain('unpack ok');
    await evictDurableObject(stub);
    const after = world(sessionId, stored);
    expect(await after.push(1)).toContain('this session has pushed 3 MB');
    expect(after.received.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(MB);
  });
});
