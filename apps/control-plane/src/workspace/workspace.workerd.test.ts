import { env, evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { WorkspaceId } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { migrate } from '../platform/migrate.ts';

const workspace = (name: string) => env.WORKSPACES.get(env.WORKSPACES.idFromName(name));

describe('Workspace in workerd', () => {
  it('[WS1] keeps its identity across evictions; another workspace has another one', async () => {
    const stub = workspace('a');
    const { workspaceId, createdAt } = await stub.identity();
    expect(WorkspaceId.parse(workspaceId)).toBe(workspaceId);
    await evictDurableObject(stub);
    expect(await stub.identity()).toMatchObject({ workspaceId, createdAt });
    expect((await workspace('b').identity()).workspaceId).not.toBe(workspaceId);
  });

  it('[WS2] a migration runs once, in order, and a failing one leaves nothing behind', async () => {
    await runInDurableObject(workspace('c'), (_, { storage }) => {
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
});
