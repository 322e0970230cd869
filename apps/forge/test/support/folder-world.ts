/** A forge, and a place for the folders that are registered with it. */
import type { Octokit } from 'octokit';
import { beforeAll } from 'vitest';
import { temporaryFolder, testForge, type TestForge } from './forge.ts';

export interface FolderWorld {
  forge: TestForge;
  octokit: Octokit;
  base: string;
}

/** Filled before the first test of the file. */
export function folderWorld(): FolderWorld {
  const world = {} as FolderWorld;
  beforeAll(async () => {
    world.forge = await testForge();
    world.octokit = world.forge.octokit();
    world.base = await temporaryFolder();
    return () => world.forge.close();
  });
  return world;
}
