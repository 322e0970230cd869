/** A forge, and a base folder for repositories to register. */
import type { Octokit } from 'octokit';
import { beforeAll } from 'vitest';
import { temporaryFolder, testForge, type TestForge } from './forge.ts';

export interface FolderWorld {
  forge: TestForge;
  octokit: Octokit;
  base: string;
}

/** Initialized before the first test of the file. */
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
