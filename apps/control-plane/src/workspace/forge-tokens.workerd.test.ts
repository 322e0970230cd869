import { runInDurableObject } from 'cloudflare:test';
import { describe, expect, it } from 'vitest';
import { newWorkspace, refusedWith } from '../testing/workspace.ts';
import { unwrap } from '../platform/result.ts';
import { openDatabase } from './database.ts';
import { ForgeTokens } from './forge-tokens.ts';
import { Keyring } from './keyring.ts';

const TOKEN = 'github_pat_planted0123456789';
const URL = 'https://github.com';

const opened = async (stub: ReturnType<typeof newWorkspace>, url = URL) =>
  unwrap(await stub.openForgeToken(url));

describe('tokens of forges', { timeout: 60_000 }, () => {
  it('[FT1] a token is write-only: not in responses, not in the database, not in a sandbox', async () => {
    const stub = newWorkspace();
    const info = unwrap(await stub.writeForgeToken(URL, TOKEN, 'ada'));
    expect(info).toEqual({ setAt: expect.any(Number) as number, login: 'ada' });
    expect(unwrap(await stub.readForgeToken(URL))).toEqual(info);
    await runInDurableObject(stub, (_, { storage }) => {
      const rows = JSON.stringify(storage.sql.exec('SELECT * FROM forge_tokens').toArray());
      expect(rows).toContain(URL);
      expect(rows).not.toMatch(/planted/);
      expect(rows).not.toContain(btoa(TOKEN).slice(0, 12));
    });
    expect(await opened(stub)).toEqual({ ...info, token: TOKEN });
    expect(unwrap(await stub.secretsFor('/r'))).toEqual({});
  });

  it('[FT2] a token for another forge is not used, and does not decrypt there', async () => {
    const stub = newWorkspace();
    await stub.writeForgeToken(URL, TOKEN, null);
    expect(await opened(stub, 'https://git.example.com')).toBeNull();
    await runInDurableObject(stub, (_, { storage }) => {
      storage.sql.exec("UPDATE forge_tokens SET url = 'https://git.example.com'");
    });
    const outcome = await stub.openForgeToken('https://git.example.com');
    expect(refusedWith(outcome)).toBe('secret-unreadable');
    expect(JSON.stringify(outcome)).not.toMatch(/planted/);
  });

  it('[FT1] a tampered token is reported, and a new one fixes it', async () => {
    const stub = newWorkspace();
    await stub.writeForgeToken(URL, TOKEN, 'ada');
    await runInDurableObject(stub, (_, { storage }) => {
      storage.sql.exec("UPDATE forge_tokens SET sealed = 'AAAA' || substr(sealed, 5)");
    });
    expect(refusedWith(await stub.openForgeToken(URL))).toBe('secret-unreadable');
    unwrap(await stub.writeForgeToken(URL, TOKEN, 'ada'));
    expect(await opened(stub)).toMatchObject({ token: TOKEN });
  });

  it('[FT1] tokens are re-encrypted with a new key, like secrets', async () => {
    await runInDurableObject(newWorkspace(), async (_, { storage }) => {
      const db = openDatabase(storage);
      const [oldKey, newKey] = ['a'.repeat(64), 'b'.repeat(64)];
      await new ForgeTokens(db, new Keyring(oldKey)).write(URL, TOKEN, 'ada');
      const both = new ForgeTokens(db, new Keyring(`${newKey},${oldKey}`));
      expect([await both.rotate(), await both.rotate()]).toEqual([1, 0]);
      const found = await new ForgeTokens(db, new Keyring(newKey)).open(URL);
      expect(found).toMatchObject({ token: TOKEN, login: 'ada' });
    });
  });

  it('[FT1] the workspace re-encrypts them with its other secrets', async () => {
    const stub = newWorkspace();
    await runInDurableObject(stub, async (_, { storage }) => {
      const db = openDatabase(storage);
      await new ForgeTokens(db, new Keyring('a'.repeat(64))).write(URL, TOKEN, null);
    });
    // Its key is missing, so it fails; the error shows that it was tried.
    expect(refusedWith(await stub.rotateSecrets())).toBe('secret-unreadable');
  });

  it('[FT4] a login is stored for the checked token, not for a newer one', async () => {
    const stub = newWorkspace();
    const { setAt } = unwrap(await stub.writeForgeToken(URL, TOKEN, null));
    await stub.noteForgeLogin(URL, setAt - 1, 'eve');
    expect(unwrap(await stub.readForgeToken(URL))?.login).toBeNull();
    await stub.noteForgeLogin(URL, setAt, 'ada');
    expect(unwrap(await stub.readForgeToken(URL))?.login).toBe('ada');
  });

  it('removes a stored token, and reports a missing one', async () => {
    const stub = newWorkspace();
    await stub.writeForgeToken(URL, TOKEN, null);
    unwrap(await stub.removeForgeToken(URL));
    expect(await opened(stub)).toBeNull();
    expect(refusedWith(await stub.removeForgeToken(URL))).toBe('not-found');
  });
});
