import { ErrorBody, type RepositoryId } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { testApi } from '../testing/api.ts';
import { report } from '../testing/workspace.ts';

const codeOf = async (response: Response) => ErrorBody.parse(await response.json()).error.code;

describe('responses', () => {
  it('[AP1] every route responds as its contract says', async () => {
    const api = testApi();
    await report(api.stub, { title: 'one' });
    const location = '/srv/shop';
    const { repositoryId } = await json<{ repositoryId: RepositoryId }>('POST', '/repositories', {
      location,
    });
    const card = { title: 'task', requestId: crypto.randomUUID() };
    const { cardId } = await json<{ cardId: string }>('POST', '/board/cards', card);
    const { token } = await json<{ token: { tokenId: string } }>('POST', '/tokens', { name: 'ci' });
    await json('PUT', '/secrets/KEY', { value: 'v', repositoryId });
    await json('PATCH', `/repositories/${repositoryId}`, { setupCommand: 'npm ci' });
    await json('PATCH', `/board/cards/${cardId}`, { text: 'Do it.' });
    await json('PATCH', '/board', { cardId, column: 'backlog', after: null });
    const settings = await json('GET', '/settings');
    await json('PUT', '/settings', settings, { 'if-match': '"s0"' });
    await json('PATCH', '/settings', { sandboxProvider: 'e2b' });
    const provider = { protocol: 'openai-chat', baseUrl: 'http://127.0.0.1:9/v1', key: 'k' };
    await json('PUT', '/providers/mine', provider);
    for (const path of [
      '/sessions',
      '/board',
      '/repositories',
      '/secrets',
      '/tokens',
      '/usage',
      '/spending',
      '/models',
      '/providers',
      '/forges',
      '/stats',
      '/health',
    ])
      await json('GET', path);
    await json('DELETE', `/secrets/KEY?repositoryId=${repositoryId}`);
    await json('DELETE', `/board/cards/${cardId}`);
    await json('DELETE', `/repositories/${repositoryId}`);
    await json('DELETE', `/tokens/${token.tokenId}`);
    await json('DELETE', '/providers/mine');

    /** Sends a request and checks the response against the schema of the route. */
    async function json<Answer>(
      method: string,
      path: string,
      body?: unknown,
      headers?: Record<string, string>,
    ): Promise<Answer> {
      const response = await api.call(method, `/api${path}`, body, headers);
      const text = await response.text();
      const route = api.endpoints.find(
        (each) =>
          each.method === method.toLowerCase() &&
          new RegExp(`^${each.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(
            path.split('?')[0] ?? '',
          ),
      );
      expect([method, path, response.status]).toEqual([
        method,
        path,
        route?.status ?? (route?.response === null ? 204 : 200),
      ]);
      if (route?.response) route.response.parse(JSON.parse(text));
      return (text === '' ? undefined : JSON.parse(text)) as Answer;
    }
  });

  it('[WS15] settings: ETag, If-None-Match, If-Match, and no blind replacement', async () => {
    const api = testApi();
    const first = await api.call('GET', '/api/settings');
    const etag = first.headers.get('etag') ?? '';
    const settings = await first.json();
    expect(
      (await api.call('GET', '/api/settings', undefined, { 'if-none-match': etag })).status,
    ).toBe(304);
    expect(await codeOf(await api.call('PUT', '/api/settings', settings))).toBe(
      'precondition-required',
    );
    const changed = await api.call(
      'PATCH',
      '/api/settings',
      { defaultModel: 'demo/a' },
      { 'if-match': etag },
    );
    expect(changed.headers.get('etag')).not.toBe(etag);
    expect(
      await codeOf(await api.call('PUT', '/api/settings', settings, { 'if-match': etag })),
    ).toBe('precondition-failed');
  });

  it.each([
    ['https://user:pw@forge.example/a', 'secret'],
    ['https://ghp_token@forge.example/a', 'secret'],
    ['file:///etc', 'URL'],
    ['relative/path', 'URL'],
    ['/srv/../etc', 'URL'],
    ['ext::sh -c id', 'URL'],
    ['', 'location'],
  ])('[WS14] the location %j is refused: it says why', async (location, why) => {
    const response = await testApi().call('POST', '/api/repositories', { location });
    const { error } = ErrorBody.parse(await response.json());
    expect([error.code, error.message.includes(why)]).toEqual(['invalid-input', true]);
  });

  it.each(['-f', 'a..b', 'a b', 'a/', '/a', 'a.lock', 'a/.b', 'a@{1}', 'a~1', 'x\u0000'])(
    '[WS14] %j is not a valid branch',
    async (defaultBase) => {
      const body = { location: '/srv/shop', defaultBase };
      expect(await codeOf(await testApi().call('POST', '/api/repositories', body))).toBe(
        'invalid-input',
      );
    },
  );
});
