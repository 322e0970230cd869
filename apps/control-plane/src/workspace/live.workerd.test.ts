import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { CLOSE_CODES, PING, PONG } from '@ship/protocol';
import { drizzle } from 'drizzle-orm/durable-sqlite';
import { describe, expect, it } from 'vitest';
import { Watcher } from '../testing/watcher.ts';
import { addCard, newWorkspace, report } from '../testing/workspace.ts';
import { CHANGES_KEPT, ChangeLog } from './change-log.ts';
import { unwrap } from '../platform/result.ts';

const versions = (watcher: Watcher) => watcher.changes.map(({ version }) => version);
const upTo = (count: number, from = 1) => Array.from({ length: count }, (_, i) => from + i);

describe('the live list', { timeout: 20_000 }, () => {
  it('[LV1] sends the version, then every change in order and without gaps', async () => {
    const stub = newWorkspace();
    await addCard(stub, 'before');
    const watcher = await Watcher.open(stub);
    const { workspaceId } = await stub.identity();
    expect(watcher.messages).toEqual([
      { type: 'hello', protocolVersion: 1, workspaceId, version: 1 },
    ]);
    const { sessionId } = await report(stub, { title: 'new' });
    unwrap(await stub.removeSession(sessionId));
    unwrap(await stub.patchSettings({ defaultModel: 'demo/a' }, undefined));
    await watcher.until(() => watcher.changes.length === 5);
    expect(watcher.changes.map(({ version, change }) => [version, change.type])).toEqual([
      [2, 'session.changed'],
      [3, 'card.changed'],
      [4, 'card.removed'],
      [5, 'session.removed'],
      [6, 'settings.changed'],
    ]);
  });

  it('[LV1] never sends a secret, its name or a token', async () => {
    const stub = newWorkspace();
    const watcher = await Watcher.open(stub);
    unwrap(await stub.writeSecret({ name: 'PLANTED_NAME', repositoryId: null }, 'planted-value'));
    const { value } = unwrap(await stub.createToken('planted-token'));
    await addCard(stub, 'last');
    await watcher.until(() => watcher.changes.length === 1);
    for (const text of ['PLANTED_NAME', 'planted-value', 'planted-token', value])
      expect(watcher.texts.join()).not.toContain(text);
  });

  it('[LV2] a client that reconnects gets exactly what it missed', async () => {
    const stub = newWorkspace();
    const first = await Watcher.open(stub);
    await addCard(stub, 'seen');
    await first.until(() => first.changes.length === 1);
    first.close();
    for (let i = 0; i < 250; i++) await addCard(stub, `missed ${i}`);
    const second = await Watcher.open(stub, { after: 1 });
    await second.until(() => second.changes.length === 250);
    await addCard(stub, 'after');
    await second.until(() => second.changes.length === 251);
    expect(versions(second)).toEqual(upTo(251, 2));
    expect(second.messages.filter(({ type }) => type === 'changes').length).toBe(4);
  });

  it('[LV2] a client that was away too long, or has a future version, gets a reset', async () => {
    const stub = newWorkspace();
    const count = CHANGES_KEPT + 150;
    await runInDurableObject(stub, (_, { storage }) => {
      const log = new ChangeLog(drizzle(storage));
      for (let i = 0; i < count; i++) log.record({ type: 'board.reordered' });
    });
    for (const after of [3, count + 1, Number.MAX_SAFE_INTEGER]) {
      const watcher = await Watcher.open(stub, { after });
      await watcher.until(() => watcher.messages.length === 2);
      expect(watcher.messages[1]).toEqual({ type: 'reset', version: count });
    }
    const fresh = await Watcher.open(stub, { after: count - 900 });
    await fresh.until(() => fresh.changes.length === 900);
    const current = await Watcher.open(stub, { after: count });
    await addCard(stub, 'next');
    await current.until(() => current.changes.length === 1);
    expect(current.messages.map(({ type }) => type)).toEqual(['hello', 'changes']);
  });

  it('[LV3] sockets survive hibernation, and pings do not wake the object', async () => {
    const stub = newWorkspace();
    const watcher = await Watcher.open(stub);
    await addCard(stub, 'awake');
    await watcher.until(() => watcher.changes.length === 1);
    await evictDurableObject(stub);
    watcher.send(PING);
    await watcher.until(() => watcher.texts.at(-1) === PONG);
    await addCard(stub, 'after the sleep');
    await watcher.until(() => watcher.changes.length === 2);
    expect(versions(watcher)).toEqual([1, 2]);
    expect(watcher.closed).toBeUndefined();
    expect(unwrap(await stub.readStats()).watchers).toBe(1);
  });

  it.each(['hello', '{"type":"replay","after":0}', '', 'x'.repeat(100_000)])(
    '[LV4] a watcher that sends anything else is disconnected; the others stay',
    async (text) => {
      const stub = newWorkspace();
      const [rude, polite] = [await Watcher.open(stub), await Watcher.open(stub)];
      rude.send(text);
      await rude.until(() => rude.closed !== undefined);
      expect(rude.closed?.code).toBe(CLOSE_CODES['bad-message']);
      await addCard(stub, 'x');
      await polite.until(() => polite.changes.length === 1);
    },
  );

  it('[LV5] sockets of a token close when it is revoked, even after hibernation', async () => {
    const stub = newWorkspace();
    const { token } = unwrap(await stub.createToken('ci'));
    const watcher = await Watcher.open(stub, { credentials: [token.tokenId] });
    const other = await Watcher.open(stub);
    await evictDurableObject(stub);
    unwrap(await stub.revokeToken(token.tokenId));
    await watcher.until(() => watcher.closed !== undefined);
    expect(watcher.closed?.code).toBe(CLOSE_CODES['sign-in']);
    expect(other.closed).toBeUndefined();
  });
});
