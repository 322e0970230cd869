import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { describe, expect, it } from 'vitest';
import { newWorkspace } from '../testing/workspace.ts';
import { unwrap } from '../platform/result.ts';

describe('API tokens', () => {
  it('[AU8] the value is shown once; only a hash is stored', async () => {
    const stub = newWorkspace();
    const { token, value } = unwrap(await stub.createToken('ci'));
    expect(value).toMatch(/^ship_[\w-]{43}$/);
    expect(await stub.verifyToken(value)).toBe(token.tokenId);
    const listed = unwrap(await stub.listTokens());
    expect(listed.tokens).toHaveLength(1);
    const dump = await runInDurableObject(stub, (_, { storage }) =>
      JSON.stringify(storage.sql.exec('SELECT * FROM tokens').toArray()),
    );
    expect(dump).toContain('ci');
    for (const text of [dump, JSON.stringify(listed)]) expect(text).not.toContain(value.slice(5));
    expect(JSON.stringify(listed)).not.toContain('hash');
  });

  it('[AU8] a revoked token is refused at once and after an eviction; the others stay valid', async () => {
    const stub = newWorkspace();
    const [kept, revoked] = [
      unwrap(await stub.createToken('kept')),
      unwrap(await stub.createToken('revoked')),
    ];
    const { revokedAt } = unwrap(await stub.revokeToken(revoked.token.tokenId));
    expect(unwrap(await stub.revokeToken(revoked.token.tokenId)).revokedAt).toBe(revokedAt);
    expect(await stub.verifyToken(revoked.value)).toBeNull();
    await evictDurableObject(stub);
    expect(await stub.verifyToken(revoked.value)).toBeNull();
    expect(await stub.verifyToken(kept.value)).toBe(kept.token.tokenId);
  });

  it('[AU8] reports the last use, without a write for every use', async () => {
    const stub = newWorkspace();
    const { value } = unwrap(await stub.createToken('ci'));
    const lastUsed = async () => unwrap(await stub.listTokens()).tokens[0]?.lastUsedAt;
    expect(await lastUsed()).toBeNull();
    await stub.verifyToken(value);
    const first = await lastUsed();
    expect(first).toBeTypeOf('number');
    await stub.verifyToken(value);
    expect(await lastUsed()).toBe(first);
  });

  it.each(['', 'ship_', 'ship_x', 'nonsense', '💥'])('[AU8] %j is not a token', async (value) => {
    expect(await newWorkspace().verifyToken(value)).toBeNull();
  });
});
