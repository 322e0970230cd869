import { describe, expect, it } from 'vitest';
import { connectForge } from './github.ts';
import { preflight } from './preflight.ts';

/** Octokit itself in workerd; what a forge answers is proven against the real one in `test/git`. */
function stub(answers: Record<string, unknown>) {
  const seen: { call: string; authorization: string | null; body: unknown }[] = [];
  const fetcher = (async (input: RequestInfo | URL, init?: RequestInit) => {
    const request = new Request(input, init);
    const call = `${request.method} ${new URL(request.url).pathname}`;
    const text = await request.text();
    const body: unknown = text === '' ? null : JSON.parse(text);
    seen.push({ call, authorization: request.headers.get('authorization'), body });
    const answer = answers[call];
    return Response.json(answer ?? { message: 'Not Found' }, {
      status: answer === undefined ? 404 : 200,
    });
  }) as typeof fetch;
  return { seen, fetcher };
}

const PULL = {
  number: 7,
  node_id: 'PR_7',
  html_url: 'https://github.com/ada/app/pull/7',
  title: 'T',
  body: null,
  state: 'open',
  draft: true,
  merged: false,
  mergeable: null,
  head: { ref: 'b', sha: 'a'.repeat(40) },
  base: { ref: 'main' },
};

describe('Octokit in workerd', () => {
  it('[GF2] speaks REST and GraphQL with GitHub, with the token in the header alone', async () => {
    const { seen, fetcher } = stub({
      'GET /repos/ada/app': {
        full_name: 'Ada/App',
        default_branch: 'trunk',
        archived: false,
        permissions: { push: true },
        size: 12,
      },
      'GET /repos/ada/app/pulls/7': PULL,
      'POST /graphql': { data: { markPullRequestReadyForReview: { pullRequest: { id: 'PR_7' } } } },
    });
    const forge = await connectForge(
      'git@github.com:ada/app.git',
      { GITHUB_TOKEN: 'secret-token' },
      fetcher,
    );
    expect(await forge.repository()).toEqual({
      defaultBranch: 'trunk',
      isArchived: false,
      canPush: true,
      sizeKb: 12,
    });
    expect(await forge.markReady(7)).toMatchObject({ number: 7, state: 'open', body: '' });
    expect(seen.map(({ call }) => call)).toContain('POST /graphql');
    expect(seen.every(({ authorization }) => authorization === 'token secret-token')).toBe(true);
    expect(JSON.stringify(seen.map(({ call, body }) => [call, body]))).not.toContain(
      'secret-token',
    );
    expect(await forge.refSha('heads/none')).toBeNull();
  });

  it('[RM2] a renamed repository is known by its current name', async () => {
    const { fetcher } = stub({
      'GET /repos/ada/app': { full_name: 'ada/other', default_branch: 'main', archived: false },
    });
    const forge = await connectForge('https://github.com/ada/app', {}, fetcher);
    expect(forge.movedTo).toBeNull();
    await forge.repository();
    expect([forge.owner, forge.name, forge.movedTo]).toEqual(['ada', 'other', 'ada/other']);
  });

  it('[GF10] a user without the right to push is pointed to their fork, or to where to create one', async () => {
    const upstream = { full_name: 'grace/app', default_branch: 'main', archived: false };
    const user = { login: 'ada', id: 1 };
    const fork = { ...upstream, full_name: 'ada/app', parent: { full_name: 'grace/app' } };
    const remedyOf = async (answers: Record<string, unknown>) => {
      const { fetcher } = stub({ 'GET /repos/grace/app': upstream, 'GET /user': user, ...answers });
      const forge = await connectForge('https://github.com/grace/app', {}, fetcher);
      return preflight(forge);
    };
    const own = await remedyOf({ 'GET /repos/ada/app': fork });
    expect(own).toMatchObject({
      code: 'push-refused',
      category: 'user-action',
      action: { kind: 'open-settings', section: 'forges' },
    });
    expect(own?.remedy).toContain('start the session with yours, https://github.com/ada/app');
    const makeAt = 'make one at https://github.com/grace/app/fork';
    expect((await remedyOf({}))?.remedy).toContain(makeAt);
    // A repository of the same name that is no fork.
    const other = { ...fork, parent: { full_name: 'somebody/app' } };
    expect((await remedyOf({ 'GET /repos/ada/app': other }))?.remedy).toContain(makeAt);
  });

  it('[FT4] the token from the settings takes precedence, and is read on each use', async () => {
    const { seen, fetcher } = stub({ 'GET /user': { login: 'ada', id: 1 } });
    let stored: string | null = 'stored-1';
    const asked: string[] = [];
    const bindings = {
      GITHUB_TOKEN: 'of-the-environment',
      GITHUB_APP_ID: '1',
      GITHUB_APP_PRIVATE_KEY: 'k',
      storedToken: async (url: string) => {
        asked.push(url);
        return stored;
      },
    };
    const forge = await connectForge('https://github.com/ada/app', bindings, fetcher);
    await forge.account();
    stored = 'stored-2';
    await forge.mayPush();
    stored = null;
    await forge.account();
    const git = `Basic ${btoa('x-access-token:stored-2')}`;
    expect(seen.map(({ authorization }) => authorization)).toEqual([
      'token stored-1',
      git,
      'token of-the-environment',
    ]);
    expect(new Set(asked)).toEqual(new Set(['https://github.com']));
  });

  it('[FT6] the local forge reads no stored token', async () => {
    const { seen, fetcher } = stub({ 'GET /repos/ada/app': { full_name: 'ada/app' } });
    const asked: string[] = [];
    const storedToken = async (url: string) => {
      asked.push(url);
      return 'stored';
    };
    const local = {
      FORGE_API_URL: 'http://x.test',
      FORGE_GIT_URL: 'http://x.test',
      FORGE_TOKEN: 'f',
    };
    const bindings = { ...local, storedToken };
    const forge = await connectForge('http://x.test/ada/app', bindings, fetcher);
    await forge.repository();
    await forge.mayPush();
    expect(seen.map(({ authorization }) => authorization)).toEqual([
      'token f',
      `Basic ${btoa('x-access-token:f')}`,
    ]);
    expect(asked).toEqual([]);
  });

  it('[GF3] failures reveal nothing of what was sent', async () => {
    const { fetcher } = stub({});
    const forge = await connectForge(
      'https://github.com/ada/app',
      { GITHUB_TOKEN: 'secret-token' },
      fetcher,
    );
    const error: unknown = await forge.repository().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ error: { code: 'not-found' } });
    expect(JSON.stringify(error) + String(error)).not.toContain('secret-token');
  });
});
