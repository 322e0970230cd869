/** A forge with one repository and a clone of it, for the API tests. */
import type { Octokit } from 'octokit';
import { beforeAll } from 'vitest';
import { temporaryFolder, testForge, type TestForge } from './forge.ts';
import { pushedBranch, seeded } from './git.ts';

export interface ApiWorld {
  forge: TestForge;
  octokit: Octokit;
  work: string;
}

export const at = { owner: 'local', repo: 'app' };

/** Initialized before the first test of the file. */
export function apiWorld(): ApiWorld {
  const world = {} as ApiWorld;
  beforeAll(async () => {
    world.forge = await testForge({ name: 'Ada', email: 'ada@example.com' });
    world.octokit = world.forge.octokit();
    await world.octokit.rest.repos.createForAuthenticatedUser({ name: 'app' });
    world.work = await seeded(await temporaryFolder(), world.forge.gitUrl, 'local/app');
    return () => world.forge.close();
  });
  return world;
}

/** With a pull request that adds one file with an unusual name. */
export function apiWorldWithPull(): ApiWorld {
  const world = apiWorld();
  beforeAll(async () => {
    await pushedBranch(world.work, 'kinds', { 'späce ü.txt': 'ü\n' });
    const pull = { title: 'kinds', head: 'kinds', base: 'main' };
    await world.octokit.rest.pulls.create({ ...at, ...pull });
  });
  return world;
}
