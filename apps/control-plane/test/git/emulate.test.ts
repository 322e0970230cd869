/**
 * Tests the GitHub code against an independent GitHub emulator (`emulate`): Ship's own forge may share its mistakes.
 * The emulator differs from GitHub; these rules are therefore tested against Ship's forge only:
 * - it opens a second pull request for the same branch, and one for missing branches, instead of a 422 (GF2, GF3);
 * - it has no commit statuses (GF7);
 * - it has no GraphQL: nothing can be marked ready (GF2), and no git smart HTTP: `mayPush` is never true (GF10);
 * - it accepts any token, and a pull request's head does not follow its branch.
 */
import { generateKeyPairSync } from 'node:crypto';
import { createEmulator, type Emulator } from 'emulate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { octokitFor } from '../../src/git/forge/octokit.ts';
import { connectForge, type Forge, preflight } from '../../src/git/index.ts';
import { freePort } from '../../../../scripts/testing/free-port.ts';

const TOKEN = 'planted-token-of-a-person';
const APP_ID = 77;

// In the format that GitHub issues (PKCS #1), which the Worker has to convert.
const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
});

describe('GitHub, emulated', { timeout: 60_000 }, () => {
  let emulator: Emulator;
  let forge: Forge;
  let octokit: ReturnType<typeof octokitFor>['rest'];
  const at = { owner: 'ada', repo: 'app' };
  const calls: string[] = [];

  const counted = ((input: RequestInfo | URL, init?: RequestInit) => {
    const request = new Request(input, init);
    calls.push(`${request.method} ${new URL(request.url).pathname}`);
    return fetch(request);
  }) as typeof fetch;
  const bindings = () => ({ GITHUB_URL: emulator.url, GITHUB_API_URL: emulator.url });
  const byApp = (name: string, key = privateKey) =>
    connectForge(
      `${emulator.url}/ada/${name}`,
      { ...bindings(), GITHUB_APP_ID: String(APP_ID), GITHUB_APP_PRIVATE_KEY: key },
      counted,
    );

  beforeAll(async () => {
    emulator = await createEmulator({
      service: 'github',
      port: await freePort(),
      seed: {
        tokens: { [TOKEN]: { login: 'ada', scopes: ['repo'] } },
        github: {
          users: [{ login: 'ada', name: 'Ada', email: 'ada@example.com' }, { login: 'ship[bot]' }],
          repos: [
            { owner: 'ada', name: 'app', auto_init: true },
            { owner: 'ada', name: 'other', auto_init: true },
          ],
          apps: [
            {
              app_id: APP_ID,
              slug: 'ship',
              name: 'Ship',
              private_key: privateKey,
              permissions: { contents: 'write', pull_requests: 'write', metadata: 'read' },
              installations: [
                {
                  installation_id: 5,
                  account: 'ada',
                  repository_selection: 'selected',
                  repositories: ['ada/app'],
                },
              ],
            },
          ],
        },
      },
    });
    const own = { ...bindings(), GITHUB_TOKEN: TOKEN };
    forge = await connectForge(`${emulator.url}/ada/app`, own);
    octokit = octokitFor({
      kind: 'local',
      apiUrl: emulator.url,
      gitUrl: emulator.url,
      token: TOKEN,
      stored: null,
      app: null,
    }).rest;
  }, 60_000);
  afterAll(() => emulator.close());

  /** A branch with one commit more than the default branch. */
  const branch = async (name: string): Promise<string> => {
    const base = (await forge.refSha('heads/main')) ?? '';
    const { data: before } = await octokit.git.getCommit({ ...at, commit_sha: base });
    const { data: tree } = await octokit.git.createTree({
      ...at,
      base_tree: before.tree.sha,
      tree: [{ path: `${name}.txt`, mode: '100644', type: 'blob', content: `${name}\n` }],
    });
    const { data: commit } = await octokit.git.createCommit({
      ...at,
      message: `work on ${name}`,
      tree: tree.sha,
      parents: [base],
    });
    await octokit.git.createRef({ ...at, ref: `refs/heads/${name}`, sha: commit.sha });
    return commit.sha;
  };

  it('[EM1] repository, account, refs and files are read', async () => {
    const sha = await branch('reading');
    expect(await forge.repository()).toMatchObject({ defaultBranch: 'main', isArchived: false });
    expect(await forge.account()).toMatchObject({ login: 'ada' });
    expect(await forge.refSha('heads/reading')).toBe(sha);
    expect(await forge.refSha('heads/none')).toBeNull();
    expect(await forge.hasRefsBelow('heads')).toBe(true);
    expect(await forge.paths(sha)).toEqual(expect.arrayContaining(['README.md', 'reading.txt']));
    const file = await forge.file('reading.txt', sha);
    expect(new TextDecoder().decode(file ?? new Uint8Array())).toBe('reading\n');
    expect(await forge.file('none.txt', sha)).toBeUndefined();
  });

  it('[EM1] a pull request is opened as a draft, found again, edited, merged; another closed', async () => {
    const headSha = await branch('work');
    const input = { branch: 'work', base: 'main', title: 'T', body: 'B' };
    const opened = await forge.openPullRequest(input);
    expect(opened).toMatchObject({
      state: 'open',
      draft: true,
      head: 'work',
      headSha,
      base: 'main',
    });
    expect(await forge.findPullRequest('work')).toMatchObject({ number: opened.number });
    expect(await forge.findPullRequest('nowhere')).toBeNull();
    const edited = await forge.editPullRequest(opened.number, { title: 'Better' });
    expect(edited).toMatchObject({ title: 'Better', body: 'B' });
    // The emulator cannot mark it ready: a pull request that is not a draft is merged instead.
    await expect(forge.merge(opened.number, 'squash', headSha)).rejects.toMatchObject({
      error: {
        code: 'not-mergeable',
        remedy: 'Mark the pull request ready for review, then merge.',
      },
    });
    const plain = { title: 'P', head: 'plain', base: 'main' };
    const plainSha = await branch('plain');
    const { data: ready } = await octokit.pulls.create({ ...at, ...plain });
    expect(await forge.merge(ready.number, 'merge', plainSha)).toMatchObject({ state: 'merged' });
    expect(await forge.merge(ready.number, 'merge', plainSha)).toMatchObject({ state: 'merged' });
    await branch('idea');
    const other = await forge.openPullRequest({ ...input, branch: 'idea' });
    expect(await forge.close(other.number)).toMatchObject({ state: 'closed' });
  });

  it('[EM2] a missing repository is reported as such', async () => {
    const gone = await connectForge(`${emulator.url}/ada/gone`, {
      ...bindings(),
      GITHUB_TOKEN: TOKEN,
    });
    expect(await preflight(gone)).toMatchObject({ code: 'not-found' });
  });

  it('[GA1] an App gets a token for one repository, once for many calls', async () => {
    const app = await byApp('app');
    calls.length = 0;
    expect(await app.repository()).toMatchObject({ defaultBranch: 'main' });
    expect(await app.refSha('heads/main')).not.toBeNull();
    const made = calls.filter((call) => call.endsWith('/access_tokens'));
    expect(made).toEqual(['POST /app/installations/5/access_tokens']);
    expect(await app.account()).toMatchObject({ login: 'ship[bot]' });
  });

  it('[GA2] a missing installation or an unreadable key is reported before the work begins', async () => {
    const elsewhere = await preflight(await byApp('other'));
    expect(elsewhere).toMatchObject({ code: 'misconfigured', category: 'user-action' });
    expect(elsewhere?.message).toContain('not installed on ada/other');
    const broken = privateKey.split('\n').slice(0, 3).join('\n');
    const unreadable = await preflight(await byApp('other', broken));
    expect(unreadable).toMatchObject({ code: 'misconfigured' });
    expect(unreadable?.remedy).toContain('GITHUB_APP_PRIVATE_KEY');
    const stranger = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    });
    expect((await preflight(await byApp('other', stranger.privateKey)))?.code).toBe(
      'misconfigured',
    );
    expect(JSON.stringify([elsewhere, unreadable])).not.toContain(privateKey.slice(100, 140));
  });
});
