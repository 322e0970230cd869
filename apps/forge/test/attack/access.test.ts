import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ForgeFailure, startForge } from '../../src/index.ts';
import { attackedForge } from '../support/attacked-forge.ts';
import { failure, temporaryFolder } from '../support/forge.ts';
import { git, gitFailure } from '../support/git.ts';

const world = attackedForge();

describe('permissions', () => {
  test('[AT-F01] attack: reads the API or git with no token, a foreign one or an expired one', async () => {
    for (const octokit of [
      world.forge.octokit(),
      world.forge.octokit('foreign'),
      world.forge.octokit('expired-token'),
    ]) {
      expect((await failure(octokit.rest.users.getAuthenticated())).status).toBe(401);
      expect((await failure(octokit.rest.repos.get({ owner: 'ada', repo: 'app' }))).status).toBe(
        401,
      );
      expect((await failure(octokit.graphql('{ viewer { login } }'))).status).toBe(401);
    }
    for (const url of [
      world.forge.gitUrl,
      world.withToken('foreign'),
      world.withToken('expired-token'),
    ])
      expect(await gitFailure(world.work, 'ls-remote', `${url}/ada/app.git`)).toMatch(
        /Authentication failed|could not read Username/,
      );
  });

  test('[AT-F02] attack: writes with a token that may only read', async () => {
    const octokit = world.forge.octokit('reader-token');
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
      await git(world.work, 'ls-remote', `${world.withToken('reader-token')}/ada/app.git`, 'main'),
    ).not.toBe('');
    expect(
      await gitFailure(
        world.work,
        'push',
        `${world.withToken('reader-token')}/ada/app.git`,
        'main:x',
      ),
    ).toContain('403');
  });

  test('[AT-F03] attack: learns of another repository with a token for one', async () => {
    const octokit = world.forge.octokit('scoped-token');
    expect((await octokit.rest.repos.get({ owner: 'ada', repo: 'other' })).status).toBe(200);
    expect((await failure(octokit.rest.repos.get({ owner: 'ada', repo: 'app' }))).status).toBe(404);
    expect(
      (await octokit.rest.repos.listForAuthenticatedUser()).data.map((one) => one.name),
    ).toEqual(['other']);
    await expect(
      octokit.graphql('{ repository(owner: "ada", name: "app") { id } }'),
    ).rejects.toThrow(/Could not resolve/);
    expect(
      await gitFailure(world.work, 'ls-remote', `${world.withToken('scoped-token')}/ada/app.git`),
    ).toContain('not found');
  });

  test('[AT-F04] attack: a web page uses the forge under a foreign Host or Origin', async () => {
    expect((await world.raw('/user', { host: 'evil.example:80' })).status).toBe(403);
    expect((await world.raw('/user', { origin: 'https://evil.example' })).status).toBe(403);
    expect((await world.raw('/user', { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect(
      (
        await world.raw('/git/ada/app.git/info/refs?service=git-upload-pack', {
          host: 'evil.example',
        })
      ).status,
    ).toBe(403);
  });

  test('[AT-F05] attack: reaches a forge from the network that has no tokens', async () => {
    await expect(
      startForge({ root: await temporaryFolder(), host: '0.0.0.0' }),
    ).rejects.toBeInstanceOf(ForgeFailure);
    await expect(startForge({ root: await temporaryFolder(), port: -1 })).rejects.toThrow(
      /options are not valid/,
    );
  });
});

describe('paths and names', () => {
  test('[AT-F06] attack: reads files of the host by traversal in owner, repository, ref or path', async () => {
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
      const answer = await world.raw(path);
      expect([path, [400, 404, 422].includes(answer.status)]).toEqual([path, true]);
      expect(answer.body).not.toMatch(/root:x|\[core\]/);
    }
    expect(world.forge.log).toEqual([]);
  });

  test('[AT-F07] attack: runs a program by revisions, paths, authors or dates that look like options', async () => {
    const octokit = world.forge.octokit('writer-token');
    const at = { owner: 'ada', repo: 'app' };
    const canary = join(world.forge.root, 'pwned');
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

  test('[AT-F08] attack: writes outside of a working copy with a tree that names .git or ..', async () => {
    const octokit = world.forge.octokit('writer-token');
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
    // The same with a push: git's own fsck refuses a tree with an entry named ".git".
    const blob = await git(world.work, 'hash-object', '-w', 'README.md');
    const evil = execFileSync('git', ['mktree'], {
      cwd: world.work,
      input: `100644 blob ${blob}\t.git\n`,
    })
      .toString()
      .trim();
    const sha = await git(world.work, 'commit-tree', '-m', 'evil', evil);
    expect(await gitFailure(world.work, 'push', 'origin', `${sha}:refs/heads/evil`)).toMatch(
      /hasDotgit|unpack/,
    );
  });
});
