import { execFileSync } from 'node:child_process';
import { Octokit } from '@octokit/rest';
import { describe, expect, it } from 'vitest';
import { type Running, ship, temporaryFolder, until } from './ship.ts';

async function readyLine(running: Running): Promise<Record<string, string>> {
  return until('the JSON line', () => {
    if (running.process.exitCode !== null) throw new Error(running.output());
    const line = running
      .output()
      .split('\n')
      .find((text) => text.startsWith('{'));
    return line === undefined ? undefined : (JSON.parse(line) as Record<string, string>);
  });
}

describe('standalone servers', { timeout: 60_000 }, () => {
  it('[SV3] demo-model serve prints its address and answers in OpenAI’s protocol', async () => {
    const running = ship(['demo-model', 'serve']);
    const { baseUrl } = await readyLine(running);
    const models = (await (await fetch(`${baseUrl}/models`)).json()) as { data: { id: string }[] };
    expect(models.data.map(({ id }) => id)).toContain('demo');
    running.process.kill('SIGTERM');
    expect(await running.exited).toBe(0);
  });

  it('[SV3] forge serve prints its addresses; the unmodified Octokit and git work with them', async () => {
    const running = ship(['forge', 'serve', '--root', temporaryFolder()]);
    const { apiUrl, gitUrl } = await readyLine(running);
    const octokit = new Octokit({ baseUrl: apiUrl ?? '' });
    const { data } = await octokit.rest.repos.createForAuthenticatedUser({ name: 'app' });
    const clone = temporaryFolder();
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...args], {
        cwd: clone,
      });
    git('init', '--quiet', '--initial-branch=main');
    git('commit', '--quiet', '--allow-empty', '--message=first');
    git('push', '--quiet', `${gitUrl}/${data.full_name}.git`, 'main');
    const branches = await octokit.rest.repos.listBranches({
      owner: data.owner.login,
      repo: 'app',
    });
    expect(branches.data.map(({ name }) => name)).toEqual(['main']);
    running.process.kill('SIGTERM');
    expect(await running.exited).toBe(0);
  });

  it('[SV3] an unusable script gives a message, not a stack trace', async () => {
    const running = ship(['demo-model', 'serve', '--script', '/no/such/script.json']);
    expect(await running.exited).toBe(1);
    expect(running.output()).toContain('/no/such/script.json');
    expect(running.output()).not.toContain('    at ');
  });
});
