import { runInDurableObject } from 'cloudflare:test';
import { ProviderId, ProviderWrite, type UsageEntry } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { newWorkspace, refusedWith } from '../testing/workspace.ts';
import { openDatabase } from './database.ts';
import { Keyring } from './keyring.ts';
import { unwrap } from '../platform/outcome.ts';
import { Providers } from './providers.ts';

const KEY = 'sk-planted-key-0123456789';
const ID = ProviderId.parse('mine');
const write = (given: Record<string, unknown> = {}) =>
  ProviderWrite.parse({ protocol: 'openai-chat', baseUrl: 'https://models.example/v1/', ...given });

async function secretsOf(stub: ReturnType<typeof newWorkspace>) {
  return unwrap(await stub.openProviders()).map(({ secrets }) => secrets);
}

describe('providers of a workspace', () => {
  it('[PV1] a key goes in and does not come out: not in answers, not in the database', async () => {
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
    // Secrets of the workspace go into sandboxes; a provider's key is none of them.
    expect(unwrap(await stub.secretsFor('/r'))).toEqual({});
  });

  it('[PV2] a key that is not sent stays, but never for another server', async () => {
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

  it('[PV1] a key that was tampered with makes its provider unusable, and a new key mends it', async () => {
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

  it('[PV1] keys of providers are sealed again with a new key, like secrets', async () => {
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

  it('removes what was added and says so of what was not', async () => {
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

describe('the budget of a day', () => {
  let made = 0;
  const entry = (key: string, costUsd: number | null, at = Date.now()): UsageEntry => ({
    key,
    at,
    model: 'demo/demo',
    repository: '/r',
    costUsd,
    inputTokens: 10,
    outputTokens: 5,
  });
  const reserve = (micros: number | null, expiresAt = Date.now() + 60_000) => ({
    callId: `day-${++made}`,
    micros,
    expiresAt,
  });

  it('[BU7] counts what ended and what is under way of all sessions', async () => {
    const stub = newWorkspace();
    unwrap(await stub.patchSettings({ budgets: { dailyUsd: 1 } }, undefined));
    const first = reserve(600_000);
    const second = reserve(600_000);
    expect(unwrap(await stub.chargeDay({ settled: [], reserve: first }))).toBeNull();
    expect(unwrap(await stub.chargeDay({ settled: [], reserve: second }))).toBeNull();
    const third = reserve(10);
    expect(unwrap(await stub.chargeDay({ settled: [], reserve: third }))?.code).toBe(
      'rate-limited',
    );
    expect(unwrap(await stub.readSpending())).toMatchObject({ reservedUsd: 1.2 });
    const settled = [entry(first.callId, 0.25), entry(second.callId, 0.5)];
    expect(unwrap(await stub.chargeDay({ settled, reserve: third }))).toBeNull();
    // Told again, counted once.
    const rest = [...settled, entry(third.callId, 0.25)];
    const spent = unwrap(await stub.chargeDay({ settled: rest, reserve: reserve(1) }));
    expect(spent?.code).toBe('budget-exhausted');
    expect(spent?.message).toContain('$1.00 of $1.00');
    expect(unwrap(await stub.readSpending())).toMatchObject({
      today: { costUsd: 1, entries: 3, inputTokens: 30 },
      month: { costUsd: 1 },
      reservedUsd: 0,
      caps: { dailyUsd: 1, sessionUsd: null },
    });
  });

  it('[BU7] yesterday does not count for today, and a session that never reports holds nothing for ever', async () => {
    const stub = newWorkspace();
    unwrap(await stub.patchSettings({ budgets: { dailyUsd: 1 } }, undefined));
    const yesterday = Date.now() - 86_400_000;
    const dead = reserve(5_000_000, Date.now() - 1);
    unwrap(await stub.chargeDay({ settled: [entry('old', 5, yesterday)], reserve: dead }));
    expect(unwrap(await stub.chargeDay({ settled: [], reserve: reserve(1) }))).toBeNull();
  });

  it('[BU3] with a cap, what has no known price is refused; without one it is counted as unknown', async () => {
    const stub = newWorkspace();
    expect(unwrap(await stub.chargeDay({ settled: [], reserve: reserve(null) }))).toBeNull();
    unwrap(await stub.chargeDay({ settled: [entry('free', null)], reserve: null }));
    expect(unwrap(await stub.readSpending()).today).toMatchObject({ costUsd: 0, unpriced: 1 });
    unwrap(await stub.patchSettings({ budgets: { dailyUsd: 1 } }, undefined));
    const refused = unwrap(await stub.chargeDay({ settled: [], reserve: reserve(null) }));
    expect(refused?.code).toBe('price-unknown');
  });
});
