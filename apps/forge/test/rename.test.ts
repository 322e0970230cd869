import { describe, expect, test } from 'vitest';
import { apiWorld } from './support/api-world.ts';
import { failure } from './support/forge.ts';
import { commit, git } from './support/git.ts';

const world = apiWorld();
const old = { owner: 'local', repo: 'app' };
const now = { owner: 'local', repo: 'renamed' };

describe('a renamed repository', () => {
  test('[RM1] can be read and written under its old name', async () => {
    const { octokit, forge } = world;
    const { data } = await octokit.rest.repos.update({ ...old, name: 'renamed' });
    expect(data.full_name).toBe('local/renamed');
    expect((await octokit.rest.repos.get(old)).data.full_name).toBe('local/renamed');
    expect((await octokit.rest.repos.get(now)).data.id).toBe(data.id);
    const { data: issue } = await octokit.rest.issues.create({ ...old, title: 'by the old name' });
    expect((await octokit.rest.issues.get({ ...now, issue_number: issue.number })).data.title).toBe(
      'by the old name',
    );
    const answer = await forge.fetch('/repos/local/app?x=1', { redirect: 'manual' });
    expect(answer.status).toBe(301);
    expect(answer.headers.get('location')).toBe(`${forge.apiUrl}/repositories/${data.id}?x=1`);
    const changed = { method: 'PATCH', body: '{}', redirect: 'manual' } as const;
    expect((await forge.fetch('/repos/local/app', changed)).status).toBe(307);
    expect((await forge.fetch('/repositories/999')).status).toBe(404);
  });

  test('[RM1] git follows the redirect of the old name, also for a push', async () => {
    const { work, forge } = world;
    const sha = await commit(work, { 'later.txt': '1\n' }, 'later');
    await git(work, 'push', '-q', 'origin', 'main');
    expect(await git(work, 'ls-remote', `${forge.gitUrl}/local/renamed.git`, 'main')).toContain(
      sha,
    );
    const posted = { method: 'POST', redirect: 'manual' } as const;
    const answer = await fetch(`${forge.gitUrl}/local/app.git/git-receive-pack`, posted);
    expect(answer.status).toBe(307);
    expect(answer.headers.get('location')).toContain('/local/renamed.git/git-receive-pack');
  });

  test('[RM1] after renaming again and back every name redirects to it, without loops', async () => {
    const { octokit } = world;
    await octokit.rest.repos.update({ ...now, name: 'third' });
    for (const repo of ['app', 'renamed', 'third'])
      expect((await octokit.rest.repos.get({ owner: 'local', repo })).data.name).toBe('third');
    await octokit.rest.repos.update({ ...now, repo: 'third', name: 'renamed' });
    for (const repo of ['app', 'renamed', 'third'])
      expect((await octokit.rest.repos.get({ owner: 'local', repo })).data.name).toBe('renamed');
  });

  test('[RM1] a taken name is refused; an old name that another repository takes stops redirecting', async () => {
    const { octokit } = world;
    await octokit.rest.repos.createForAuthenticatedUser({ name: 'third' });
    expect((await octokit.rest.repos.get({ ...now, repo: 'third' })).data.name).toBe('third');
    for (const name of ['third', '../x', ''])
      expect((await failure(octokit.rest.repos.update({ ...now, name }))).status).toBe(422);
    await octokit.rest.repos.update({ ...now, name: 'Renamed' });
    expect((await octokit.rest.repos.get(now)).data.name).toBe('Renamed');
  });
});
