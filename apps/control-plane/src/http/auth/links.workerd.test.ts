import { runInDurableObject } from 'cloudflare:test';
import { ErrorBody } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { LOCAL_TOKEN, ORIGIN, testApi } from '../../testing/api.ts';
import { newWorkspace } from '../../testing/workspace.ts';
import { unwrap } from '../../platform/result.ts';

const codeOf = async (response: Response) => ErrorBody.parse(await response.json()).error.code;
const cookieOf = (answer: Response) => answer.headers.get('set-cookie') ?? '';
const bearer = (value: string) => ({ headers: { authorization: `Bearer ${value}` } });

describe('sign-in links and guessing', () => {
  it('[AU15] no page, file or response sets a cookie for a caller who is not authenticated', async () => {
    const api = testApi();
    for (const path of ['/', '/index.html', '/some/route', '/theme.js', '/api/health', '/api/me'])
      expect([path, cookieOf(await api.ask(path))]).toEqual([path, '']);
    expect(cookieOf(await api.ask('http://evil.example:4400/'))).toBe('');
    const byToken = await api.ask('/api/sign-in', {
      method: 'POST',
      headers: { origin: ORIGIN, 'content-type': 'application/json' },
      body: JSON.stringify({ token: LOCAL_TOKEN }),
    });
    expect(await codeOf(byToken)).toBe('not-configured');
  });

  it('[AU15] a link signs one browser in, once, within 10 minutes, and from our own page only', async () => {
    const stub = newWorkspace();
    const api = testApi({ stub });
    const [used, late, elsewhere] = [await api.newCode(), await api.newCode(), await api.newCode()];
    const both = await Promise.all([api.redeem(used), api.redeem(used)]);
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([204, 401]);
    expect(ErrorBody.parse(await (await api.redeem(used)).json()).error.remedy).toContain(
      'npx --no-install ship open',
    );
    // Codes and cookies are not interchangeable; only hashes are stored.
    const cookie = `ship_4400=${elsewhere}`;
    expect((await api.ask('/api/settings', { headers: { cookie } })).status).toBe(401);
    const dump = await runInDurableObject(stub, (_, { storage }) => {
      const rows = JSON.stringify(storage.sql.exec('SELECT * FROM browsers').toArray());
      storage.sql.exec('UPDATE browsers SET expires_at = ?', Date.now() - 1);
      return rows;
    });
    expect(dump).not.toContain(late);
    expect((await api.redeem(late)).status).toBe(401);
    const foreign = await api.ask('/api/sign-in', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'cross-site' },
      body: JSON.stringify({ code: await api.newCode() }),
    });
    expect(foreign.status).toBe(403);
  });

  it('[AU15] a link of an API token grants no more than the token, and ends with it', async () => {
    const stub = newWorkspace();
    const api = testApi({ stub });
    const { token, value } = unwrap(await stub.createToken('ci'));
    const authorization = { authorization: `Bearer ${value}` };
    const cookie = cookieOf(await api.redeem(await api.newCode(authorization))).split(';')[0];
    const unused = await api.newCode(authorization);
    const me = await api.ask('/api/me', { headers: { cookie: cookie ?? '' } });
    expect(await me.json()).toMatchObject({ name: 'ci' });
    unwrap(await stub.revokeToken(token.tokenId));
    const after = await api.ask('/api/me', { headers: { cookie: cookie ?? '' } });
    expect(after.status).toBe(401);
    expect((await api.redeem(unused)).status).toBe(401);
  });

  it('[AU16] wrong bearer tokens are rate-limited by address; valid generated tokens are not', async () => {
    const ownerToken = 'owner-3f9a1c7e5b2d8064f1e3a9c7b5d2';
    const stub = newWorkspace();
    const team = testApi({ stub, mode: 'team', hosts: 'ship.example', ownerToken });
    const { value } = unwrap(await stub.createToken('ci'));
    const ask = async (token: string, address: string) => {
      const headers = { authorization: `Bearer ${token}`, 'cf-connecting-ip': address };
      const cf = { colo: 'AMS' };
      return (await team.ask('https://ship.example/api/settings', { headers, cf })).status;
    };
    const statuses = [];
    for (let i = 0; i < 12; i += 1) statuses.push(await ask(`wrong-${i}`, '192.0.2.1'));
    expect(statuses).toEqual([...Array<number>(10).fill(401), 429, 429]);
    expect(await ask(value, '192.0.2.1')).toBe(200);
    // The owner's token may be chosen by a person, so it is blocked like a sign-in. Other addresses are not.
    expect([await ask(ownerToken, '192.0.2.1'), await ask(ownerToken, '192.0.2.2')]).toEqual([
      429, 200,
    ]);
    const local = testApi();
    for (let i = 0; i < 11; i += 1) await local.ask('/api/settings', bearer(`wrong-${i}`));
    expect((await local.ask('/api/settings', bearer('wrong'))).status).toBe(429);
    expect((await local.ask('/api/settings', bearer(LOCAL_TOKEN))).status).toBe(200);
  });

  it('[AU16] wrong links are rate-limited, and a valid one is not', async () => {
    const api = testApi();
    const statuses = [];
    for (let i = 0; i < 12; i += 1) statuses.push((await api.redeem(`wrong-${i}`)).status);
    expect(statuses).toEqual([...Array<number>(10).fill(401), 429, 429]);
    expect((await api.redeem(await api.newCode())).status).toBe(204);
  });
});
