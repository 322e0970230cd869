import { dirname, join } from 'node:path';
import { unprocessable } from '../http/errors.ts';
import type { RepositoryPaths } from './environment.ts';
import { alternatesOf, checkLinks, checkOwner } from './owner.ts';
import { isUserRepository, ensurePrivateStore } from './private-store.ts';
import { gitPlain, text } from './process.ts';
import { readRepositoryConfig, type RepositoryConfig } from './repository-config.ts';
import { refreshView, viewDir } from './view.ts';
import { mainFolder } from './worktree-files.ts';

/** Runs before each use of a repository: checks its owner, its symlinks and that its format is supported. */
export async function checkRepository(paths: RepositoryPaths): Promise<RepositoryConfig> {
  const { gitDir, neutralDir } = paths;
  checkLinks(gitDir);
  const root = dirname(dirname(neutralDir));
  const alternates = alternatesOf(join(gitDir, 'objects'));
  // Only Ship writes to the forge's own folder.
  const isOwn = gitDir.startsWith(`${root}/`);
  await requireTrusted(paths, ...(isOwn ? alternates : [gitDir, ...alternates]));
  const config = await readRepositoryConfig(gitDir, (content) => parseConfig(neutralDir, content));
  if (config.refusal !== undefined) throw unprocessable(config.refusal);
  if (isUserRepository(paths)) ensurePrivateStore(paths);
  return config;
}

/** Checks the repository, refreshes its view and returns the view's folder, where commands on refs run. */
export async function openRepository(paths: RepositoryPaths): Promise<string> {
  const config = await checkRepository(paths);
  refreshView(paths, config, mainFolder(paths, config));
  return viewDir(paths);
}

export function requireTrusted(paths: RepositoryPaths, ...folders: string[]): Promise<void> {
  return checkOwner(folders, () => safeDirectories(paths.neutralDir));
}

/** Runs git's own parser on text: it opens no included file. */
async function parseConfig(neutralDir: string, content: string): Promise<string> {
  const argv = ['config', '--file', '-', '--no-includes', '-z', '--list'];
  return text(await gitPlain(neutralDir, neutralDir, argv, { input: content }));
}

/** Reads the configuration of the system and of the user, which are trusted. */
async function safeDirectories(neutralDir: string): Promise<string[]> {
  const { HOME, XDG_CONFIG_HOME, GIT_CONFIG_GLOBAL } = process.env;
  const environment = {
    ...(HOME === undefined ? {} : { HOME }),
    ...(XDG_CONFIG_HOME === undefined ? {} : { XDG_CONFIG_HOME }),
    GIT_CONFIG_NOSYSTEM: '0',
    GIT_CONFIG_GLOBAL: GIT_CONFIG_GLOBAL ?? join(HOME ?? '/', '.gitconfig'),
  };
  const argv = ['config', '-z', '--get-all', 'safe.directory'];
  const result = await gitPlain(neutralDir, neutralDir, argv, {
    environment,
    expectedCodes: [0, 1],
  });
  return text(result).split('\0').slice(0, -1);
}
