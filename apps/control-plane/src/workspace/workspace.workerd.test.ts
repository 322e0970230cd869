import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { WorkspaceId, createId } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { migrate } from '../platform/migrate.ts';
import { Watcher } from '../testing/watcher.ts';
import {
  addCard,
  columns,
  draft,
  listed,
  newWorkspace,
  refusedWith,
  report,
  summary,
  workspaceNamed,
} from '../testing/workspace.ts';
import { unwrap } from '../platform/result.ts';
import type { Workspace } from './workspace.ts';

const pullRequest = (state: 'open' | 'merged' | 'closed') => ({
  number: 1,
  url: 'https://forge.example/pull/1',
  state,
  draft: false,
});
const timings = (firstTokenMs: number) => ({ firstTokenMs, pullRequestMs: null });

describe('Workspace in workerd', () => {
  it('[WS1] keeps its identity across evictions; another workspace has a different one', async () => {
    const stub = workspaceNamed('a');
    const { workspaceId, createdAt } = await stub.identity();
    expect(WorkspaceId.parse(workspaceId)).toBe(workspaceId);
    await evictDurableObject(stub);
    expect(await stub.identity()).toMatchObject({ workspaceId, createdAt });
    expect((await workspaceNamed('b').identity()).workspaceId).not.toBe(workspaceId);
  });

  it('[WS2] a migration runs once, in order, and a failing one leaves nothing behind', async () => {
    await runInDurableObject(newWorkspace(), (_, { storage }) => {
      const tables = () =>
        storage.sql
          .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'")
          .toArray();
      storage.sql.exec('DROP TABLE migrations');
      const steps = ['CREATE TABLE one (x)', 'CREATE TABLE two (x)'];
      migrate(storage, steps.slice(0, 1));
      migrate(storage, steps);
      migrate(storage, steps);
      expect(tables().filter(({ name }) => name === 'one' || name === 'two')).toHaveLength(2);
      expect(() =>
        migrate(storage, [...steps, 'CREATE TABLE three (x); SELECT nonsense']),
      ).toThrow();
      expect(tables().some(({ name }) => name === 'three')).toBe(false);
      migrate(storage, [...steps, 'CREATE TABLE three (x)']);
      expect(tables().some(({ name }) => name === 'three')).toBe(true);
    });
  });

  it('[WS3] an object of the first version keeps its identity and gets the new tables', async () => {
    const stub = newWorkspace();
    const workspaceId = createId('wsp');
    await runInDurableObject(stub, async (_, { storage }) => {
      await storage.deleteAll();
      // The exact tables of the first version.
      migrate(storage, [
        `CREATE TABLE identity (
     one INTEGER PRIMARY KEY CHECK (one = 1),
     workspace_id TEXT NOT NULL,
     created_at INTEGER NOT NULL
   ) STRICT`,
      ]);
      storage.sql.exec('INSERT INTO identity VALUES (1, ?, 7)', workspaceId);
    });
    await evictDurableObject(stub);
    expect(await stub.identity()).toMatchObject({ workspaceId, createdAt: 7 });
    const { sessionId } = await report(stub);
    expect((await listed(stub)).sessions[0]?.sessionId).toBe(sessionId);
  });

  it('[WS18] all data survives an eviction', async () => {
    const stub = newWorkspace();
    await report(stub, { title: 'A session' });
    await addCard(stub, 'A task');
    unwrap(await stub.patchSettings({ limits: { maxStepsPerTurn: 7 } }, undefined));
    unwrap(await stub.writeSecret({ name: 'KEY', repositoryId: null }, 'value'));
    const { value } = unwrap(await stub.createToken('ci'));
    const before = await everything();
    await evictDurableObject(stub);
    expect(await everything()).toEqual(before);
    expect(await stub.verifyToken(value)).not.toBeNull();

    async function everything() {
      return {
        list: await listed(stub),
        board: unwrap(await stub.readBoard()),
        settings: unwrap(await stub.readSettings()),
        secrets: unwrap(await stub.secretsFor('')),
        stats: unwrap(await stub.readStats()),
      };
    }
  });

  it('[WS8] a refused change has no effect and no number', async () => {
    const stub = newWorkspace();
    const card = await addCard(stub, 'A task');
    const before = unwrap(await stub.readBoard());
    const nowhere = createId('crd');
    const refusals = [
      await stub.moveCard({ cardId: card.cardId, column: 'working', after: null }),
      await stub.moveCard({ cardId: card.cardId, column: 'backlog', after: nowhere }),
      await stub.moveCard({ cardId: nowhere, column: 'backlog', after: null }),
      await stub.editCard(nowhere, { title: 'x' }),
      await stub.removeCard(nowhere),
      await stub.removeRepository(createId('rep')),
      await stub.editRepository(createId('rep'), { name: 'x' }),
      await stub.writeSecret({ name: 'KEY', repositoryId: createId('rep') }, 'value'),
      await stub.removeSecret({ name: 'KEY', repositoryId: null }),
      await stub.revokeToken(createId('tok')),
      await stub.patchSettings({ idle: { pauseAfterMs: 80_000_000 } }, undefined),
    ];
    expect(refusals.map(refusedWith)).toEqual([
      'card-not-started',
      ...Array.from({ length: 9 }, () => 'not-found'),
      'invalid-input',
    ]);
    expect(unwrap(await stub.readBoard())).toEqual(before);
    expect(unwrap(await stub.listSecrets()).secrets).toEqual([]);
  });

  it('[WS8] a change that fails half-way is rolled back and not broadcast', async () => {
    const stub = newWorkspace();
    const watcher = await Watcher.open(stub);
    const rename = (from: string, to: string) =>
      runInDurableObject(stub, (_, { storage }) => {
        storage.sql.exec(`ALTER TABLE ${from} RENAME TO ${to}`);
      });
    await rename('cards', 'hidden');
    // The session is stored and its change numbered before its card is read.
    const failed = await runInDurableObject(stub, (workspace: Workspace) => {
      try {
        return workspace.reportSession({ version: 1, summary: summary() });
      } catch {
        return 'failed';
      }
    });
    expect(failed).toBe('failed');
    await rename('hidden', 'cards');
    expect((await listed(stub)).sessions).toEqual([]);
    await addCard(stub, 'next');
    await watcher.until(() => watcher.changes.length > 0);
    expect(watcher.changes.map(({ version, change }) => [version, change.type])).toEqual([
      [1, 'card.changed'],
    ]);
  });

  it('[WS17] statistics follow the reports, and are null where nothing is known', async () => {
    const stub = newWorkspace();
    expect(unwrap(await stub.readStats())).toMatchObject({
      sessions: 0,
      mergedShare: null,
      costPerMergedUsd: null,
      medianFirstTokenMs: null,
    });
    await report(stub, {
      status: 'idle',
      pullRequest: pullRequest('merged'),
      timings: timings(100),
    });
    await report(stub, {
      status: 'idle',
      pullRequest: pullRequest('merged'),
      timings: timings(900),
    });
    await report(stub, {
      status: 'idle',
      pullRequest: pullRequest('closed'),
      timings: timings(300),
    });
    await report(stub, { status: 'working', costUsd: null });
    const removed = await report(stub, { status: 'failed' });
    unwrap(await stub.removeSession(removed.sessionId));
    await stub.createCard(draft('not a session'));
    expect(unwrap(await stub.readStats())).toMatchObject({
      sessions: 4,
      byStatus: { idle: 3, working: 1, failed: 0 },
      byColumn: { backlog: 0, working: 1, done: 3 },
      pullRequests: { open: 0, merged: 2, closed: 1 },
      mergedShare: 2 / 3,
      costPerMergedUsd: 0.375,
      medianFirstTokenMs: 300,
      medianPullRequestMs: null,
      watchers: 0,
    });
    expect((await columns(stub)).backlog).toEqual(['not a session']);
  });
});
