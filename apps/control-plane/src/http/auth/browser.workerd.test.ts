import { runInDurableObject } from 'cloudflare:test';
import { ErrorBody, Me, SignInWays } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { testApi } from '../../testing/api.ts';
import { Watcher } from '../../testing/watcher.ts';
import { newWorkspace } from '../../testing/workspace.ts';
import { unwrap } from '../../platform/result.ts';

const ORIGIN = 'https://ship.example';
const OWNER_TOKEN = 'owner-3f9a1c7e5b2d8064f1e3a9c7b5d2';
const team = { mode: 'team', hosts: 'ship.example' };

/** A browser with the web app open: it sends its origin and keeps its cookie. */
function browser(api: ReturnType<typeof testApi>, headers: Record<string, string> = {}) {
  let cookie = '';
  const send = async (method: string, path: string, body?: unknown, more = {}) => {
    const response = await api.ask(`${ORIGIN}/api${path}`, {
      method,
      headers: {
        origin: ORIGIN,
        'sec-fetch-site': 'same-origin',
        cookie,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
        ...more,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      // Cloudflare's description of a caller.
      cf: { colo: 'AMS' },
    });
    const set = response.headers.get('set-cookie');
    if (set !== null) cookie = set.split(';')[0] ?? '';
    return response;
  };
  return {
    send,
    signIn: (token: string) => send('POST', '/sign-in', { token }),
    status: async () => (await send('GET', '/settings')).status,
    cookie: () => cookie,
  };
}

describe('browsers in team mode', () => {
  it('[AU12] a token gives a cookie that is not the token, and signing out ends it', async () => {
    const stub = newWorkspace();
    const api = testApi({ ...team, stub });
    const { value } = unwrap(await stub.createToken('Ada'));
    const ada = browser(api);
    expect(SignInWays.parse(await (await ada.send('GET', '/sign-in')).json()).ways).toEqual([
      'token',
    ]);
    expect(await ada.status()).toBe(401);
    const answer = await ada.signIn(value);
    expect(answer.status).toBe(204);
    const set = answer.headers.get('set-cookie') ?? '';
    expect(set).toMatch(/^__Host-ship=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; .*; Secure$/);
    expect(set).not.toContain(value.slice(5, 20));
    expect(await ada.status()).toBe(200);
    const me = Me.parse(await (await ada.send('GET', '/me')).json());
    expect(me).toEqual({ name: 'Ada', canSignOut: true });
    // Only a hash is stored.
    const kept = ada.cookie().split('=')[1] ?? '';
    const dump = await runInDurableObject(stub, (_, { storage }) =>
      JSON.stringify(storage.sql.exec('SELECT * FROM browsers').toArray()),
    );
    expect(dump).not.toContain(kept);

    const stolen = ada.cookie();
    expect((await ada.send('POST', '/sign-out')).headers.get('set-cookie')).toMatch(/Max-Age=0/);
    expect(await ada.status()).toBe(401);
    const thief = await api.ask(`${ORIGIN}/api/settings`, { headers: { cookie: stolen } });
    expect(thief.status).toBe(401);
  });

  it('[AU12] the cookie ends with its token, with a new owner’s token, and after 30 days', async () => {
    const stub = newWorkspace();
    const api = testApi({ ...team, stub, ownerToken: OWNER_TOKEN });
    const { token, value } = unwrap(await stub.createToken('Ada'));
    const [ada, owner, late] = [browser(api), browser(api), browser(api)];
    await ada.signIn(value);
    await owner.signIn(OWNER_TOKEN);
    await late.signIn(OWNER_TOKEN);
    expect([await ada.status(), await owner.status(), await late.status()]).toEqual([
      200, 200, 200,
    ]);
    unwrap(await stub.revokeToken(token.tokenId));
    expect([await ada.status(), await owner.status()]).toEqual([401, 200]);
    const renewed = testApi({ ...team, stub, ownerToken: `${OWNER_TOKEN}8` });
    const withOldCookie = await renewed.ask(`${ORIGIN}/api/settings`, {
      headers: { cookie: owner.cookie() },
    });
    expect(withOldCookie.status).toBe(401);
    await runInDurableObject(stub, (_, { storage }) => {
      storage.sql.exec('UPDATE browsers SET expires_at = ?', Date.now() - 1);
    });
    expect(await late.status()).toBe(401);
  });

  it('[AU12] other sites cannot use the cookie', async () => {
    const stub = newWorkspace();
    const ada = browser(testApi({ ...team, stub, ownerToken: OWNER_TOKEN }));
    await ada.signIn(OWNER_TOKEN);
    const make = (more: Record<string, string>) => ada.send('POST', '/tokens', { name: 'x' }, more);
    expect((await make({})).status).toBe(201);
    expect((await make({ 'sec-fetch-site': 'same-site' })).status).toBe(403);
    expect((await make({ origin: 'https://8080-abc.ship.example' })).status).toBe(403);
    // Login CSRF is refused too.
    const forged = await ada.send(
      'POST',
      '/sign-in',
      { token: OWNER_TOKEN },
      {
        'sec-fetch-site': 'cross-site',
      },
    );
    expect(forged.status).toBe(403);
  });

  it('[AU13] after ten wrong tokens an address is blocked, even with the right one; others are not', async () => {
    const stub = newWorkspace();
    const api = testApi({ ...team, stub, ownerToken: OWNER_TOKEN });
    const guesser = browser(api, { 'cf-connecting-ip': '192.0.2.1' });
    for (let i = 0; i < 10; i += 1) {
      const refused = await guesser.signIn(`ship_wrong-${i}`);
      expect(refused.status).toBe(401);
      const text = await refused.text();
      expect(text).not.toContain('wrong-');
      expect(ErrorBody.parse(JSON.parse(text)).error.remedy).toContain('Settings');
    }
    const limited = await guesser.signIn(OWNER_TOKEN);
    expect(limited.status).toBe(429);
    expect(ErrorBody.parse(await limited.json()).error.remedy).toMatch(/in \d+ seconds/);
    expect(
      (await browser(api, { 'cf-connecting-ip': '192.0.2.2' }).signIn(OWNER_TOKEN)).status,
    ).toBe(204);
  });

  it('[AU18] connections of a browser end when it signs out, and with its token', async () => {
    const stub = newWorkspace();
    const { token, value } = unwrap(await stub.createToken('Ada'));
    const cookie = unwrap(await stub.signIn('an address', { kind: 'token', value }, 60_000));
    const browserId = (await stub.grantsOfBrowsers([cookie])).map((found) => found.browserId);
    const credentials = [token.tokenId, ...browserId];
    const [own, other] = [
      await Watcher.open(stub, { credentials }),
      await Watcher.open(stub, { credentials: [token.tokenId] }),
    ];
    expect(credentials).toHaveLength(2);
    expect(await stub.endedCredentials(credentials)).toEqual([]);
    await stub.signOut(cookie);
    expect(await stub.endedCredentials(credentials)).toEqual(browserId);
    await own.until(() => own.closed !== undefined);
    expect(other.closed).toBeUndefined();
    unwrap(await stub.revokeToken(token.tokenId));
    expect(await stub.endedCredentials(credentials)).toEqual(credentials);
    await other.until(() => other.closed !== undefined);
  });

  it('[AU15] local mode signs browsers in with a link', async () => {
    const api = testApi();
    const ways = await api.ask('/api/sign-in');
    expect(SignInWays.parse(await ways.json()).ways).toEqual(['link']);
    const me = await api.call('GET', '/api/me');
    expect(Me.parse(await me.json())).toEqual({ name: 'local', canSignOut: false });
  });
});
