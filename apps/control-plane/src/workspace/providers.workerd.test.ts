import { runInDurableObject } from 'cloudflare:test';
import { ProviderId, ProviderWrite } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { newWorkspace, refusedWith } from '../testing/workspace.ts';
import { openDatabase } from './database.ts';
import { Keyring } from './keyring.ts';
import { unwrap } from '../platform/result.ts';
import { Providers } from './providers.ts';

const KEY = 'sk-planted-key-0123456789';
const ID = ProviderId.parse('mine');
const write = (given: Record<string, unknown> = {}) =>
  ProviderWrite.parse({ protocol: 'openai-chat', baseUrl: 'https://models.example/v1/', ...given });

async function secretsOf(stub: ReturnType<typeof newWorkspace>) {
  return unwrap(await stub.openProviders()).map(({ secrets }) => secrets);
}

describe('providers of a workspace', { timeout: 60_000 }, () => {
  it('[PV1] a key is write-only: not in responses, not in the database', async () => {
    const stub = newWorkspace();
    const headers = { 'x-team-token': 'planted-header-value' };
    const info = unwrap(await stub.writeProvider(ID, write({ key: KEY, headers })));
    expect(info).toEqual({
      providerId: 'mine',
      name: 'mine',
      protocol: 'openai-chat',
      baseUrl: 'https://models.example/v1',
      hasKey: true,
      headerNames: ['x-team-token'],
      models: {},
      source: 'workspace',
      isDemo: false,
    });
    expect(JSON.stringify(unwrap(await stub.listProviders()))).not.toMatch(/planted/);
    await runInDurableObject(stub, (_, { storage }) => {
      const rows = JSON.stringify(storage.sql.exec('SELECT * FROM providers').toArray());
      expect(rows).toContain('models.example');
      expect(rows).not.toMatch(/planted/);
    });
    expect(await secretsOf(stub)).toEqual([{ key: KEY, headers }]);
    // Secrets of the workspace go into sandboxes; a provider's key must not.
    expect(unwrap(await stub.secretsFor('/r'))).toEqual({});
  });

  it('[PV2] an omitted key is kept, but never for another server', async () => {
    const stub = newWorkspace();
    await stub.writeProvider(ID, write({ key: KEY }));
    unwrap(await stub.writeProvider(ID, write({ baseUrl: 'https://models.example/v2' })));
    expect(await secretsOf(stub)).toEqual([{ key: KEY, headers: {} }]);
    const moved = unwrap(
      await stub.writeProvider(ID, write({ baseUrl: 'https://evil.example/v1' })),
    );
    expect(moved.hasKey).toBe(false);
    expect(await secretsOf(stub)).toEqual([{ key: null, headers: {} }]);
    await stub.writeProvider(ID, write({ key: KEY }));
    expect(unwrap(await stub.writeProvider(ID, write({ key: null }))).hasKey).toBe(false);
  });

  it('[PV1] a tampered key makes its provider unusable, and a new key fixes it', async () => {
    const stub = newWorkspace();
    await stub.writeProvider(ID, write({ key: KEY }));
    await runInDurableObject(stub, (_, { storage }) => {
      storage.sql.exec(`UPDATE providers SET sealed = 'AAAA' || substr(sealed, 5)`);
    });
    expect(await secretsOf(stub)).toEqual([null]);
    expect(refusedWith(await stub.writeProvider(ID, write()))).toBe('secret-unreadable');
    unwrap(await stub.writeProvider(ID, write({ key: KEY, headers: {} })));
    expect(await secretsOf(stub)).toEqual([{ key: KEY, headers: {} }]);
  });

  it('[PV1] keys of providers are re-encrypted with a new key, like secrets', async () => {
    await runInDurableObject(newWorkspace(), async (_, { storage }) => {
      const db = openDatabase(storage);
      const [oldKey, newKey] = ['a'.repeat(64), 'b'.repeat(64)];
      await new Providers(db, new Keyring(oldKey)).write(ID, write({ key: KEY }));
      const both = new Providers(db, new Keyring(`${newKey},${oldKey}`));
      expect([await both.rotate(), await both.rotate()]).toEqual([1, 0]);
      const [opened] = await new Providers(db, new Keyring(newKey)).open();
      expect(opened?.secrets?.key).toBe(KEY);
    });
  });

  it('removes a stored provider, and reports a missing one', async () => {
    const stub = newWorkspace();
    await stub.writeProvider(ID, write());
    unwrap(await stub.removeProvider(ID));
    expect(refusedWith(await stub.removeProvider(ID))).toBe('not-found');
    expect(unwrap(await stub.listProviders()).providers).toEqual([]);
  });

  it.each([
    'ftp://models.example',
    'https://user:pw@models.example/v1',
    'http://169.254.169.254/latest',
    'http://[fe80::1]/v1',
    'https://models.example/v1?key=1',
    'file:///etc/passwd',
    'models.example',
  ])('[PV3] the address %s is refused', (baseUrl) => {
    expect(ProviderWrite.safeParse({ protocol: 'openai-chat', baseUrl }).success).toBe(false);
  });

  it.each([{ host: 'x' }, { 'content-length': '1' }, { 'x y': 'z' }, { 'x-a': 'b\r\nc: d' }])(
    '[PV3] the header %o is refused',
    (headers) => {
      const input = { protocol: 'openai-chat', baseUrl: 'https://models.example', headers };
      expect(ProviderWrite.safeParse(input).success).toBe(false);
    },
  );
});
