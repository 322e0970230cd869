import { ErrorBody, ForgeCheck, ForgeList, ForgeTokenStored } from '@ship/protocol';
import { describe, expect, it, vi } from 'vitest';
import { unwrap } from '../platform/result.ts';
import { testApi } from '../testing/api.ts';
import { newWorkspace } from '../testing/workspace.ts';

const TOKEN = 'github_pat_planted0123456789';
const WRONG = 'github_pat_planted-and-wrong';
const PATH = '/api/forges/github';

/** A GitHub double that accepts one token and can be offline. */
function github() {
  const state = { isDown: false };
  const fetcher = (async (input: RequestInfo | URL, init?: RequestInit) => {
    const request = new Request(input, init);
    if (state.isDown)
      throw new TypeError(`cannot connect with ${request.headers.get('authorization')}`);
    return request.headers.get('authorization') === `token ${TOKEN}`
      ? Response.json({ login: 'ada' })
      : Response.json({ message: `Bad credentials ${WRONG}` }, { status: 401 });
  }) as typeof fetch;
  return { state, fetcher };
}

function open(bindings: Record<string, string> = {}) {
  const { state, fetcher } = github();
  const stub = newWorkspace();
  const storedToken = async (url: string) => unwrap(await stub.openForgeToken(url))?.token ?? null;
  const { call } = testApi({ stub, forges: { bindings: { ...bindings, storedToken }, fetcher } });
  const responses: string[] = [];
  const ask = async (method: string, path: string, body?: unknown) => {
    const response = await call(method, path, body);
    const text = await response.text();
    responses.push(text);
    return { status: response.status, json: text === '' ? null : (JSON.parse(text) as unknown) };
  };
  const credentials = async () => {
    const { forges } = ForgeList.parse((await ask('GET', '/api/forges')).json);
    return forges.flatMap((forge) => (forge.kind === 'github' ? forge.credentials : []));
  };
  const check = async () => ForgeCheck.parse((await ask('POST', `${PATH}/check`)).json);
  const put = (token: string) => ask('PUT', `${PATH}/token`, { token });
  return { state, stub, ask, credentials, check, put, responses };
}

describe('forges over the API', { timeout: 60_000 }, () => {
  it('[FT1] a token is set, listed, checked and removed, and is in no response and no log', async () => {
    const logs: unknown[] = [];
    const spies = (['log', 'info', 'warn', 'error', 'debug'] as const).map((level) =>
      vi.spyOn(console, level).mockImplementation((...given: unknown[]) => void logs.push(given)),
    );
    const { ask, credentials, check, put, responses, stub } = open({ FORGE_GIT_URL: 'http://x' });
    const list = ForgeList.parse((await ask('GET', '/api/forges')).json);
    expect(list.forges).toEqual([
      { kind: 'github', url: 'https://github.com', credentials: [] },
      { kind: 'local' },
    ]);
    const set = ForgeTokenStored.parse((await put(` ${TOKEN}\n`)).json);
    expect(set.check).toEqual({ state: 'accepted', login: 'ada' });
    const [stored] = await credentials();
    expect(stored).toMatchObject({ source: 'workspace', login: 'ada' });
    expect(set.forge.credentials).toEqual([stored]);
    expect(await check()).toEqual({ state: 'accepted', login: 'ada' });
    for (const bad of [
      { token: '' },
      { token: `${TOKEN} x` },
      { token: { deep: TOKEN } },
      { token: TOKEN, more: 1 },
    ])
      expect((await ask('PUT', `${PATH}/token`, bad)).status).toBe(400);
    expect(unwrap(await stub.openForgeToken('https://github.com'))?.token).toBe(TOKEN);
    expect((await ask('DELETE', `${PATH}/token`)).status).toBe(204);
    expect(await credentials()).toEqual([]);
    expect((await ask('DELETE', `${PATH}/token`)).status).toBe(404);
    const unset = ErrorBody.parse((await ask('POST', `${PATH}/check`)).json);
    expect(unset.error.code).toBe('not-found');
    spies.forEach((spy) => spy.mockRestore());
    expect(JSON.stringify([responses, logs])).not.toContain(TOKEN);
  });

  it('[FT5] a token that the forge refuses is not stored; the old one stays', async () => {
    const { credentials, put, check, stub } = open();
    const refused = await put(WRONG);
    const { error } = ErrorBody.parse(refused.json);
    expect([refused.status, error.code]).toEqual([409, 'credentials-refused']);
    expect(error.remedy).toContain('https://github.com/settings/personal-access-tokens');
    expect(JSON.stringify(error)).not.toContain('planted');
    expect(await credentials()).toEqual([]);
    await put(TOKEN);
    expect((await put(WRONG)).status).toBe(409);
    expect(await check()).toEqual({ state: 'accepted', login: 'ada' });
    // The token is revoked later.
    await stub.writeForgeToken('https://github.com', WRONG, 'ada');
    const now = await check();
    expect(now).toMatchObject({ state: 'refused', error: { code: 'credentials-refused' } });
    expect(JSON.stringify(now)).not.toContain('planted');
  });

  it('[FT5] when the forge is unreachable the token is stored, and a later check finds its user', async () => {
    const { state, credentials, put, check, responses } = open();
    state.isDown = true;
    const set = ForgeTokenStored.parse((await put(TOKEN)).json);
    expect(set.check).toMatchObject({ state: 'unknown', error: { category: 'transient' } });
    expect(JSON.stringify(set.check)).toContain('The token is stored.');
    expect(await credentials()).toMatchObject([{ source: 'workspace', login: null }]);
    expect(await check()).toMatchObject({ state: 'unknown' });
    state.isDown = false;
    expect(await check()).toEqual({ state: 'accepted', login: 'ada' });
    expect(await credentials()).toMatchObject([{ source: 'workspace', login: 'ada' }]);
    expect(responses.join('\n')).not.toContain(TOKEN);
  });

  it('[FT3] the stored token overrides the environment’s, which overrides an App', async () => {
    const app = { GITHUB_APP_ID: '1', GITHUB_APP_PRIVATE_KEY: 'no key' };
    const { credentials, check, put, ask } = open({ GITHUB_TOKEN: WRONG, ...app });
    const sources = async () => (await credentials()).map(({ source }) => source);
    expect(await sources()).toEqual(['environment', 'app']);
    expect(await check()).toMatchObject({ state: 'refused' });
    await put(TOKEN);
    expect(await sources()).toEqual(['workspace', 'environment', 'app']);
    expect(await check()).toEqual({ state: 'accepted', login: 'ada' });
    await ask('DELETE', `${PATH}/token`);
    expect(await check()).toMatchObject({ state: 'refused' });
    const alone = open(app);
    expect(await alone.check()).toMatchObject({
      state: 'refused',
      error: { code: 'misconfigured' },
    });
  });

  it('[FT2] a token is used only for the address that it was set for', async () => {
    const { stub, credentials } = open({ GITHUB_URL: 'https://git.example.com' });
    await stub.writeForgeToken('https://github.com', TOKEN, 'ada');
    expect(await credentials()).toEqual([]);
  });

  it('[FT1] an unauthenticated caller may not list, set or check', async () => {
    const api = testApi({ mode: 'team', localToken: null });
    for (const [method, path] of [
      ['GET', '/api/forges'],
      ['PUT', `${PATH}/token`],
      ['DELETE', `${PATH}/token`],
      ['POST', `${PATH}/check`],
    ] as const)
      expect((await api.ask(path, { method })).status).toBe(401);
  });
});
