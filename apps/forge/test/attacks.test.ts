import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { ForgeFailure, startForge } from '../src/index.ts';
import { failure, temporaryFolder, testForge, type TestForge } from './support/forge.ts';
import { commit, git, gitFailure, seeded } from './support/git.ts';

let forge: TestForge;
let work: string;
const tokens = [
  { token: 'writer-token', login: 'ada' },
  { token: 'reader-token', login: 'bob', access: 'read' as const },
  { token: 'scoped-token', login: 'eve', repositories: ['ada/other'] },
  { token: 'expired-token', login: 'old', expiresAt: 1 },
];
const withToken = (token: string) =>
  forge.gitUrl.replace('http://', `http://x-access-token:${token}@`);

beforeAll(async () => {
  forge = await testForge({ tokens });
  const octokit = forge.octokit('writer-token');
  await octokit.rest.repos.createForAuthenticatedUser({ name: 'app' });
  await octokit.rest.repos.createForAuthenticatedUser({ name: 'other' });
  work = await seeded(await temporaryFolder(), withToken('writer-token'), 'ada/app');
  return () => forge.close();
});

/** A request exactly as written: fetch would tidy the path. */
function raw(
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
  body?: Buffer,
): Promise<{ status: number; body: string }> {
  const { hostname, port } = new URL(forge.apiUrl);
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        hostname,
        port,
        path,
        method,
        headers: { authorization: 'token writer-token', ...headers },
      },
      (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text }));
        response.on('error', reject);
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

describe('who may do what', () => {
  test('no token, a foreign one, an expired one: 401, for the API and for git', async () => {
    for (const octokit of [
      forge.octokit(),
      forge.octokit('foreign'),
      forge.octokit('expired-token'),
    ]) {
      expect((await failure(octokit.rest.users.getAuthenticated())).status).toBe(401);
      expect((await failure(octokit.rest.repos.get({ owner: 'ada', repo: 'app' }))).status).toBe(
        401,
      );
      expect((await failure(octokit.graphql('{ viewer { login } }'))).status).toBe(401);
    }
    for (const url of [forge.gitUrl, withToken('foreign'), withToken('expired-token')])
      expect(await gitFailure(work, 'ls-remote', `${url}/ada/app.git`)).toMatch(
        /Authentication failed|could not read Username/,
      );
  });

  test('a read-only token reads and cannot write', async () => {
    const octokit = forge.octokit('reader-token');
    const at = { owner: 'ada', repo: 'app' };
    expect((await octokit.rest.repos.get(at)).data.permissions).toMatchObject({
      pull: true,
      push: false,
    });
    expect((await failure(octokit.rest.issues.create({ ...at, title: 'x' }))).status).toBe(403);
    expect(
      (await failure(octokit.rest.repos.createForAuthenticatedUser({ name: 'mine' }))).status,
    ).toBe(403);
    expect(
      await git(work, 'ls-remote', `${withToken('reader-token')}/ada/app.git`, 'main'),
    ).not.toBe('');
    expect(
      await gitFailure(work, 'push', `${withToken('reader-token')}/ada/app.git`, 'main:x'),
    ).toContain('403');
  });

  test('a token for one repository does not learn of another', async () => {
    const octokit = forge.octokit('scoped-token');
    expect((await octokit.rest.repos.get({ owner: 'ada', repo: 'other' })).status).toBe(200);
    expect((await failure(octokit.rest.repos.get({ owner: 'ada', repo: 'app' }))).status).toBe(404);
    expect(
      (await octokit.rest.repos.listForAuthenticatedUser()).data.map((one) => one.name),
    ).toEqual(['other']);
    await expect(
      octokit.graphql('{ repository(owner: "ada", name: "app") { id } }'),
    ).rejects.toThrow(/Could not resolve/);
    expect(
      await gitFailure(work, 'ls-remote', `${withToken('scoped-token')}/ada/app.git`),
    ).toContain('not found');
  });

  test('a web page cannot use it: foreign Host, foreign Origin', async () => {
    expect((await raw('/user', { host: 'evil.example:80' })).status).toBe(403);
    expect((await raw('/user', { origin: 'https://evil.example' })).status).toBe(403);
    expect((await raw('/user', { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect(
      (await raw('/git/ada/app.git/info/refs?service=git-upload-pack', { host: 'evil.example' }))
        .status,
    ).toBe(403);
  });

  test('open to the network only with tokens', async () => {
    await expect(
      startForge({ root: await temporaryFolder(), host: '0.0.0.0' }),
    ).rejects.toBeInstanceOf(ForgeFailure);
    await expect(startForge({ root: await temporaryFolder(), port: -1 })).rejects.toThrow(
      /options are not valid/,
    );
  });
});

describe('paths and names', () => {
  test('traversal in owner, repository, ref and path leads nowhere', async () => {
    const paths = [
      '/repos/../../etc/passwd',
      '/repos/ada/..%2f..%2f.forge',
      '/repos/..%2f..%2fetc/passwd',
      '/repos/ada/%2e%2e',
      '/repos/.forge/neutral',
      '/repos/ada/app/contents/..%2f..%2fetc%2fpasswd',
      '/repos/ada/app/contents/../../../etc/passwd',
      '/repos/ada/app/contents/.git/config',
      '/repos/ada/app/contents/%00',
      '/repos/ada/app/contents/:(top)README.md',
      '/repos/ada/app/git/ref/..%2f..%2fconfig',
      '/repos/ada/app/git/ref/heads%2f..%2f..%2fHEAD',
      '/repos/ada/app/git/trees/main:src',
      '/repos/ada/app/git/blobs/..%2f..%2fconfig',
      '/repos/ada/app/branches/..%2fHEAD',
      '/repos/ada/app/commits/--output=pwned',
      '/repos/ada/app/commits/:%2ffirst',
      '/repos/ada/app/commits/main@%7b0%7d',
      '/repos/ada/app/compare/--no-index...main',
      '/repos/ada/app/compare/main..main...main',
      '/git/../../etc/passwd',
      '/git/ada/..%2f..%2fetc/info/refs?service=git-upload-pack',
      '/git/ada/app.git/config',
      '/git/ada/app.git/HEAD',
      '/git/ada/app.git/objects/info/packs',
      '/git/ada/app.git/info/refs',
      '/git/ada/app.git/info/refs?service=git-upload-archive',
      '/git/.forge/neutral.git/info/refs?service=git-upload-pack',
      '/git/ada/app.git/../../../etc/info/refs?service=git-upload-pack',
    ];
    for (const path of paths) {
      const answer = await raw(path);
      expect([path, [400, 404, 422].includes(answer.status)]).toEqual([path, true]);
      expect(answer.body).not.toMatch(/root:x|\[core\]/);
    }
    expect(forge.log).toEqual([]);
  });

  test('option injection: revisions, paths, authors and dates that look like options are data', async () => {
    const octokit = forge.octokit('writer-token');
    const at = { owner: 'ada', repo: 'app' };
    const canary = join(forge.root, 'pwned');
    for (const evil of [
      `--output=${canary}`,
      `--upload-pack=touch ${canary}`,
      `-o${canary}`,
      `$(touch ${canary})`,
      `;touch ${canary}`,
      `|touch ${canary}`,
    ]) {
      const sha = evil;
      await Promise.allSettled([
        octokit.rest.repos.listCommits({ ...at, sha }),
        octokit.rest.repos.listCommits({ ...at, path: evil, author: evil }),
        octokit.rest.repos.listCommits({ ...at, since: evil }),
        octokit.rest.repos.getContent({ ...at, path: evil, ref: evil }),
        octokit.rest.git.createRef({ ...at, ref: `refs/heads/${evil}`, sha }),
        octokit.rest.git.updateRef({ ...at, ref: 'heads/main', sha }),
        octokit.rest.pulls.create({ ...at, title: evil, head: evil, base: evil }),
        octokit.rest.git.createCommit({ ...at, message: evil, tree: evil, parents: [evil] }),
        octokit.rest.git.createTree({
          ...at,
          base_tree: evil,
          tree: [{ path: evil, mode: '100644', content: 'x' }],
        }),
        octokit.rest.repos.createForAuthenticatedUser({ name: evil }),
      ]);
    }
    expect(existsSync(canary)).toBe(false);
    expect((await octokit.rest.repos.listCommits({ ...at, author: '--all' })).data).toEqual([]);
  });

  test('trees cannot be made to reach outside of a working copy', async () => {
    const octokit = forge.octokit('writer-token');
    const at = { owner: 'ada', repo: 'app' };
    for (const path of [
      '../x',
      '/etc/x',
      'a/../../x',
      '.git/hooks/pre-push',
      'a/.GIT/config',
      'a//b',
      '',
    ])
      expect(
        (
          await failure(
            octokit.rest.git.createTree({ ...at, tree: [{ path, mode: '100644', content: 'x' }] }),
          )
        ).status,
      ).toBe(422);
    // The same by a push: a tree with an entry named ".git" is refused by git's own check.
    const blob = await git(work, 'hash-object', '-w', 'README.md');
    const evil = execFileSync('git', ['mktree'], {
      cwd: work,
      input: `100644 blob ${blob}\t.git\n`,
    })
      .toString()
      .trim();
    const sha = await git(work, 'commit-tree', '-m', 'evil', evil);
    expect(await gitFailure(work, 'push', 'origin', `${sha}:refs/heads/evil`)).toMatch(
      /hasDotgit|unpack/,
    );
  });
});

const pktLine = (text: string) => (text.length + 4).toString(16).padStart(4, '0') + text;

describe('sizes and malformed traffic', () => {
  test('a huge body is refused, declared or not, and the forge lives on', async () => {
    const headers = { authorization: 'token writer-token' };
    const big = await forge
      .fetch('/repos/ada/app/issues', {
        method: 'POST',
        headers,
        body: Buffer.alloc(33 * 1024 * 1024, 'a'),
      })
      .catch(() => undefined);
    expect(big === undefined || big.status === 413).toBe(true);
    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(1024 * 1024)),
    });
    const init = { method: 'POST', headers, body: endless, duplex: 'half' } as RequestInit;
    const answer = await fetch(`${forge.apiUrl}/repos/ada/app/issues`, init).catch(() => undefined);
    expect(answer === undefined || answer.status === 413).toBe(true);
    expect((await raw('/user')).status).toBe(200);
  });

  test('long texts and deep JSON are a 4xx', async () => {
    const octokit = forge.octokit('writer-token');
    const at = { owner: 'ada', repo: 'app' };
    expect(
      (await failure(octokit.rest.issues.create({ ...at, title: 'x'.repeat(300) }))).status,
    ).toBe(422);
    expect(
      (await failure(octokit.rest.issues.create({ ...at, title: 'x', body: 'x'.repeat(70_000) })))
        .status,
    ).toBe(422);
    const deep = Buffer.from('['.repeat(100_000));
    expect((await raw('/repos/ada/app/issues', {}, 'POST', deep)).status).toBe(400);
  });

  test('malformed pkt-lines change nothing and crash nothing', async () => {
    const before = await git(work, 'ls-remote', 'origin');
    const type = { 'content-type': 'application/x-git-receive-pack-request' };
    const zero = '0'.repeat(40);
    const sha = await git(work, 'rev-parse', 'main');
    const bodies = [
      'zzzz',
      'ffff',
      '0003',
      '0000',
      '00',
      pktLine(`${sha} ${zero} refs/heads/main\n`),
      `${pktLine(`${zero} ${sha} refs/heads/../../evil\0report-status`)}0000`,
      `${pktLine(`${zero} ${sha} refs/heads/no-pack\0report-status`)}0000`,
      `${pktLine(`${zero} ${'f'.repeat(40)} refs/heads/no-object\0report-status`)}0000PACK\0\0\0\u0002\0\0\0\0`,
      `${pktLine(`${zero} ${sha} refs/heads/junk\0report-status`)}0000${'PACKgarbage'.repeat(100)}`,
      pktLine('x'.repeat(60_000)).repeat(20),
    ];
    for (const body of bodies) {
      const answer = await raw(
        '/git/ada/app.git/git-receive-pack',
        type,
        'POST',
        Buffer.from(body, 'latin1'),
      );
      expect(answer.status).toBeLessThan(600);
    }
    const gzip = { ...type, 'content-encoding': 'gzip' };
    await raw('/git/ada/app.git/git-receive-pack', gzip, 'POST', Buffer.from('not gzip'));
    const refs = (await git(work, 'ls-remote', 'origin'))
      .split('\n')
      .filter((ref) => !ref.endsWith('no-pack'));
    expect(refs.join('\n')).toBe(before);
  });

  test('a client that goes away in the middle leaves no process and no branch', async () => {
    const { hostname, port } = new URL(forge.apiUrl);
    for (let index = 0; index < 5; index += 1) {
      const socket = connect(Number(port), hostname);
      socket.write(
        'POST /git/ada/app.git/git-receive-pack HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: token writer-token\r\n' +
          'content-type: application/x-git-receive-pack-request\r\ncontent-length: 1000000\r\n\r\n00',
      );
      await new Promise((resolve) => setTimeout(resolve, 50));
      socket.destroy();
    }
    const deadline = Date.now() + 10_000;
    const left = () =>
      execFileSync('ps', ['-eo', 'args'])
        .toString()
        .split('\n')
        .filter((line) => line.includes(join(forge.root, 'ada/app.git')));
    while (left().length > 0 && Date.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 50));
    expect(left()).toEqual([]);
    await git(work, 'push', '-q', 'origin', 'main:refs/heads/still-works');
  });

  test('shallow, partial, protocol v0 and v2 clones; fetch by id', async () => {
    const url = `${withToken('writer-token')}/ada/app.git`;
    const folder = await temporaryFolder();
    await git(folder, 'clone', '-q', '--depth', '1', url, 'shallow');
    await git(folder, 'clone', '-q', '--filter=blob:none', '--no-checkout', url, 'partial');
    await git(folder, '-c', 'protocol.version=0', 'clone', '-q', url, 'v0');
    await git(join(folder, 'v0'), 'fetch', '-q', url, await git(work, 'rev-parse', 'main'));
    expect(await git(join(folder, 'shallow'), 'rev-parse', '--is-shallow-repository')).toBe('true');
  });

  test('a large push and clone stream through with flat memory', async () => {
    const { randomBytes } = await import('node:crypto');
    await git(work, 'config', 'core.compression', '0');
    await git(work, 'checkout', '-q', '-b', 'large');
    await commit(
      work,
      Object.fromEntries(
        [1, 2, 3].map((index) => [`large-${index}.bin`, randomBytes(16 * 1024 * 1024)]),
      ),
    );
    const before = process.memoryUsage().rss;
    await git(work, '-c', 'http.postBuffer=1048576', 'push', '-q', 'origin', 'large');
    const target = join(await temporaryFolder(), 'clone');
    await git(
      work,
      'clone',
      '-q',
      '--branch',
      'large',
      `${withToken('writer-token')}/ada/app.git`,
      target,
    );
    expect((process.memoryUsage().rss - before) / 1024 / 1024).toBeLessThan(40);
    expect(await git(target, 'rev-parse', 'HEAD')).toBe(await git(work, 'rev-parse', 'large'));
  });
});
