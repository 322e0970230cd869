import { runInDurableObject } from 'cloudflare:test';
import { RepositoryCreate } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { type WorkspaceStub, newWorkspace, refusedWith } from '../testing/workspace.ts';
import { Keyring } from './keyring.ts';
import { drizzle } from 'drizzle-orm/durable-sqlite';
import { unwrap } from '../platform/result.ts';
import { Secrets } from './secrets.ts';

const PLANTED = 'planted-secret-3f9c';
const location = '/srv/shop';
const admit = () => undefined;

const write = async (stub: WorkspaceStub, name: string, value: string) =>
  unwrap(await stub.writeSecret({ name, repositoryId: null }, value));

async function addRepository(stub: WorkspaceStub) {
  return unwrap(await stub.createRepository(RepositoryCreate.parse({ location }))).repositoryId;
}

describe('secrets', () => {
  it('[SC1] are not in the database in the clear', async () => {
    const stub = newWorkspace();
    await write(stub, 'KEY', PLANTED);
    const dump = await runInDurableObject(stub, (_, { storage }) =>
      JSON.stringify(storage.sql.exec('SELECT * FROM secrets').toArray()),
    );
    expect(dump).toContain('KEY');
    expect(dump).not.toContain(PLANTED);
    expect(dump).not.toContain(btoa(PLANTED).slice(0, 12));
    expect(unwrap(await stub.secretsFor(location))).toEqual({ KEY: PLANTED });
  });

  it('[SC2] a secret that was changed on disk is named in an error with a remedy', async () => {
    const stub = newWorkspace();
    await write(stub, 'GOOD', 'fine');
    await write(stub, 'BAD', PLANTED);
    await runInDurableObject(stub, (_, { storage }) => {
      storage.sql.exec(
        "UPDATE secrets SET sealed = 'AAAA' || substr(sealed, 5) WHERE name = 'BAD'",
      );
    });
    const outcome = await stub.secretsFor(location);
    expect(refusedWith(outcome)).toBe('secret-unreadable');
    expect(JSON.stringify(outcome)).toContain('BAD');
    expect(JSON.stringify(outcome)).not.toContain(PLANTED);
    await write(stub, 'BAD', 'again');
    expect(unwrap(await stub.secretsFor(location))).toEqual({ GOOD: 'fine', BAD: 'again' });
  });

  it('[SC2] a ciphertext that was copied to another name does not decrypt', async () => {
    const stub = newWorkspace();
    await write(stub, 'ADMIN_KEY', PLANTED);
    await write(stub, 'HARMLESS', 'x');
    await runInDurableObject(stub, (_, { storage }) => {
      storage.sql.exec(
        "UPDATE secrets SET sealed = (SELECT sealed FROM secrets WHERE name = 'ADMIN_KEY') WHERE name = 'HARMLESS'",
      );
    });
    expect(refusedWith(await stub.secretsFor(location))).toBe('secret-unreadable');
  });

  it('[SC3] all are re-encrypted with the newest key; repeating that does nothing', async () => {
    await runInDurableObject(newWorkspace(), async (_, { storage }) => {
      const [old, fresh] = ['a1'.repeat(32), 'b2'.repeat(32)];
      const secrets = (keys: string) => new Secrets(drizzle(storage), new Keyring(keys));
      await secrets(old).write({ name: 'ONE', repositoryId: null }, '1', admit);
      await secrets(old).write({ name: 'TWO', repositoryId: null }, '2', admit);
      expect(await secrets(`${fresh},${old}`).rotate()).toBe(2);
      expect(await secrets(`${fresh},${old}`).rotate()).toBe(0);
      expect(await secrets(fresh).readAll(null)).toEqual({ ONE: '1', TWO: '2' });
    });
  });

  it('[SC6] a repository’s secrets override those of the workspace, and are deleted with it', async () => {
    const stub = newWorkspace();
    const repositoryId = await addRepository(stub);
    await write(stub, 'KEY', 'general');
    await write(stub, 'OTHER', 'other');
    unwrap(await stub.writeSecret({ name: 'KEY', repositoryId }, 'special'));
    expect(unwrap(await stub.secretsFor(location))).toEqual({ KEY: 'special', OTHER: 'other' });
    expect(unwrap(await stub.secretsFor('/elsewhere'))).toEqual({ KEY: 'general', OTHER: 'other' });
    unwrap(await stub.removeRepository(repositoryId));
    expect(unwrap(await stub.listSecrets()).secrets).toHaveLength(2);
    await addRepository(stub);
    expect(unwrap(await stub.secretsFor(location))).toMatchObject({ KEY: 'general' });
  });
});
