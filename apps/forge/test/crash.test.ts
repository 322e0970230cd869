import { existsSync } from 'node:fs';
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { ForgeFailure, startForge } from '../src/index.ts';
import { childForge } from './support/child-forge.ts';
import { failure, temporaryFolder, testForge } from './support/forge.ts';
import { commit, git, gitFailure, pushedBranch, seeded } from './support/git.ts';

const json = (value: unknown): RequestInit => ({ method: 'POST', body: JSON.stringify(value) });

async function locksUnder(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  return names.filter((name) => name.endsWith('.lock') || name.includes('tmp_objdir'));
}

describe('kill -9', () => {
  test('during pushes and merges: acknowledged work survives, state and git agree, no lock blocks', async () => {
    const root = await temporaryFolder();
    let forge = await childForge(root);
    await fetch(`${forge.apiUrl}/user/repos`, json({ name: 'app' }));
    const work = await seeded(await temporaryFolder(), forge.gitUrl, 'local/app');
    const acknowledged: Array<{ branch: string; sha: string; number?: number; merged?: string }> =
      [];
    for (let round = 0; round < 4; round += 1) {
      const { apiUrl, gitUrl } = forge;
      const before = acknowledged.length;
      const jobs = Array.from({ length: 4 }, async (_, index) => {
        const branch = `r${round}-${index}`;
        const copy = join(work, '..', `copy-${branch}`);
        await git(work, 'clone', '-q', '--local', work, copy);
        await git(copy, 'checkout', '-q', '-b', branch);
        const sha = await commit(copy, { [`${branch}.txt`]: 'x\n'.repeat(1000) }, branch);
        await git(copy, 'push', '-q', `${gitUrl}/local/app.git`, branch);
        const entry: (typeof acknowledged)[number] = { branch, sha };
        acknowledged.push(entry);
        const created = await fetch(
          `${apiUrl}/repos/local/app/pulls`,
          json({ title: branch, head: branch, base: 'main' }),
        );
        entry.number = ((await created.json()) as { number: number }).number;
        const method = (['merge', 'squash', 'rebase'] as const)[index % 3];
        const merged = await fetch(`${apiUrl}/repos/local/app/pulls/${entry.number}/merge`, {
          method: 'PUT',
          body: JSON.stringify({ merge_method: method }),
        });
        if (merged.ok) entry.merged = ((await merged.json()) as { sha: string }).sha;
      });
      // Kill mid-work even on a slow machine: each round waits for one more acknowledged push.
      const isFarEnough = vi.waitFor(
        () => expect(acknowledged.length).toBeGreaterThan(before + round),
        { timeout: 30_000, interval: 10 },
      );
      isFarEnough.catch(() => undefined);
      await Promise.race([Promise.allSettled(jobs), isFarEnough]);
      await forge.kill();
      await Promise.allSettled(jobs);
      forge = await childForge(root);
    }
    const bare = join(root, 'local/app.git');
    expect(await git(bare, 'fsck', '--no-dangling', '--connectivity-only')).toBe('');
    expect(await locksUnder(bare)).toEqual([]);
    const list = (await (
      await fetch(`${forge.apiUrl}/repos/local/app/pulls?state=all&per_page=100`)
    ).json()) as Array<{
      number: number;
      merged_at: string | null;
      merge_commit_sha: string | null;
      head: { ref: string };
    }>;
    const history = (await git(bare, 'rev-list', 'main')).split('\n');
    for (const { branch, sha, number, merged } of acknowledged) {
      expect(await git(bare, 'rev-parse', `refs/heads/${branch}`)).toBe(sha);
      if (number !== undefined) expect(list.map((pull) => pull.number)).toContain(number);
      if (merged !== undefined)
        expect(list.find((pull) => pull.number === number)?.merge_commit_sha).toBe(merged);
    }
    for (const pull of list) {
      const inMain =
        existsSync(bare) && (await git(bare, 'ls-tree', 'main', `${pull.head.ref}.txt`)) !== '';
      // Merged in git if and only if merged in the forge's state.
      expect([pull.head.ref, inMain]).toEqual([pull.head.ref, pull.merged_at !== null]);
      if (pull.merge_commit_sha !== null) expect(history).toContain(pull.merge_commit_sha);
    }
    expect(acknowledged.length).toBeGreaterThan(0);
    // The forge still accepts pushes.
    await git(work, 'push', '-q', `${forge.gitUrl}/local/app.git`, 'main:refs/heads/after');
    await forge.kill();
  });
});

describe('recovery after a crash', () => {
  test('stale locks and quarantines in the forge’s own repositories are removed at startup; a user’s recent lock stays', async () => {
    const root = await temporaryFolder();
    const first = await testForge({ root });
    await first.octokit().rest.repos.createForAuthenticatedUser({ name: 'app' });
    const work = await seeded(await temporaryFolder(), first.gitUrl, 'local/app');
    await first.fetch('/ship/repositories', json({ path: work, name: 'mine' }));
    await first.close();
    const bare = join(root, 'local/app.git');
    await writeFile(join(bare, 'refs/heads/main.lock'), '');
    await writeFile(join(bare, 'packed-refs.lock'), '');
    await mkdir(join(bare, 'objects/tmp_objdir-incoming-abc'));
    await writeFile(join(work, '.git/refs/heads/young.lock'), '');
    await writeFile(join(work, '.git/refs/heads/old.lock'), '');
    await writeFile(join(work, '.git/index.lock'), '');
    const hourAgo = new Date(Date.now() - 3_600_000);
    for (const name of ['refs/heads/old.lock', 'index.lock'])
      await utimes(join(work, '.git', name), hourAgo, hourAgo);
    const second = await testForge({ root });
    expect(await locksUnder(bare)).toEqual([]);
    expect((await locksUnder(join(work, '.git'))).toSorted()).toEqual([
      'index.lock',
      'refs/heads/young.lock',
    ]);
    await second.close();
  });

  test('a merge interrupted between the files and the branch is finished; one interrupted earlier is dropped', async () => {
    const root = await temporaryFolder();
    const first = await testForge({ root });
    const base = await temporaryFolder();
    const folder = join(base, 'app');
    await git(base, 'init', '-q', '-b', 'main', folder);
    await commit(folder, { 'a.txt': 'one\n' });
    await first.fetch('/ship/repositories', json({ path: folder }));
    await git(folder, 'checkout', '-q', '-b', 'topic');
    const head = await commit(folder, { 'a.txt': 'two\n' });
    await git(folder, 'checkout', '-q', 'main');
    const before = await git(folder, 'rev-parse', 'main');
    const at = { owner: 'local', repo: 'app' };
    const { data: pull } = await first
      .octokit()
      .rest.pulls.create({ ...at, title: 't', head: 'topic', base: 'main' });
    await first.close();
    const { Database } = await import('../src/store/database.ts');
    const storeIntent = () => {
      const db = new Database(join(root, '.forge/state.sqlite'));
      db.run(
        'INSERT OR REPLACE INTO merge_intents VALUES (?, ?, ?, ?, 1, ?)',
        pull.id,
        before,
        head,
        folder,
        '2026-01-01',
      );
      db.close();
    };
    storeIntent();
    const second = await testForge({ root });
    expect(
      (await second.octokit().rest.pulls.get({ ...at, pull_number: pull.number })).data.merged,
    ).toBe(false);
    await second.close();
    storeIntent();
    await git(folder, 'read-tree', '-u', '-m', before, head);
    const third = await testForge({ root });
    const { data } = await third.octokit().rest.pulls.get({ ...at, pull_number: pull.number });
    expect(data).toMatchObject({ merged: true, merge_commit_sha: head });
    expect(await git(folder, 'rev-parse', 'main')).toBe(head);
    expect(await git(folder, 'status', '--porcelain')).toBe('');
    await third.close();
  });

  test('a squash interrupted after the branch moved is recorded as merged', async () => {
    const root = await temporaryFolder();
    const first = await testForge({ root });
    const at = { owner: 'local', repo: 'app' };
    await first.octokit().rest.repos.createForAuthenticatedUser({ name: 'app' });
    const work = await seeded(await temporaryFolder(), first.gitUrl, 'local/app');
    const before = await git(work, 'rev-parse', 'main');
    await pushedBranch(work, 'topic', { 'b.txt': 'b\n' });
    const input = { ...at, title: 't', head: 'topic', base: 'main' };
    const { data: pull } = await first.octokit().rest.pulls.create(input);
    await first.close();
    const bare = join(root, 'local/app.git');
    const squash = await git(bare, 'commit-tree', '-p', before, '-m', 'squashed', 'topic^{tree}');
    await git(bare, 'update-ref', 'refs/heads/main', squash);
    const { Database } = await import('../src/store/database.ts');
    const db = new Database(join(root, '.forge/state.sqlite'));
    const sql = 'INSERT INTO merge_intents VALUES (?, ?, ?, NULL, 1, ?)';
    db.run(sql, pull.id, before, squash, '2026-01-01');
    db.close();
    const second = await testForge({ root });
    const { data } = await second.octokit().rest.pulls.get({ ...at, pull_number: pull.number });
    expect(data).toMatchObject({ merged: true, merge_commit_sha: squash, changed_files: 1 });
    await second.close();
  });

  test('two forges on one root: the second is refused with a remedy', async () => {
    const root = await temporaryFolder();
    const forge = await startForge({ root });
    await expect(startForge({ root })).rejects.toBeInstanceOf(ForgeFailure);
    await forge.close();
    const again = await startForge({ root });
    await again.close();
  });

  test('a deleted registered folder does not prevent the start', async () => {
    const root = await temporaryFolder();
    const first = await testForge({ root });
    const base = await temporaryFolder();
    await git(base, 'init', '-q', join(base, 'app'));
    await first.fetch('/ship/repositories', json({ path: join(base, 'app') }));
    await first.close();
    const { rm } = await import('node:fs/promises');
    await rm(join(base, 'app'), { recursive: true });
    const second = await testForge({ root });
    expect(second.log.join()).toContain('no longer exists');
    const at = { owner: 'local', repo: 'app' };
    const answer = await failure(second.octokit().rest.repos.get(at));
    expect(answer).toMatchObject({
      status: 404,
      data: { message: expect.stringContaining('no longer exists') as string },
    });
    expect(await gitFailure(base, 'ls-remote', `${second.gitUrl}/local/app.git`)).toContain(
      'not found',
    );
    await second.octokit().rest.repos.delete(at);
    await second.close();
  });

  test('bare repositories copied into the root are found', async () => {
    const root = await temporaryFolder();
    await git(root, 'init', '-q', '--bare', '-b', 'trunk', 'team/tool.git');
    const forge = await testForge({ root });
    const { data } = await forge.octokit().rest.repos.get({ owner: 'team', repo: 'tool' });
    expect(data).toMatchObject({ full_name: 'team/tool', default_branch: 'trunk' });
    await git(root, 'init', '-q', '--bare', 'team/later.git');
    expect((await forge.octokit().rest.repos.get({ owner: 'team', repo: 'later' })).data.name).toBe(
      'later',
    );
    await forge.close();
  });
});
