import { dirname, join } from 'node:path';
import { unprocessable } from '../http/errors.ts';
import type { Place } from './environment.ts';
import { alternatesOf, checkLinks, checkOwner } from './owner.ts';
import { isForeign, layOwnStore } from './own-store.ts';
import { gitPlain, text } from './process.ts';
import { readRepositoryConfig, type RepositoryConfig } from './repository-config.ts';
import { refreshView, viewDir } from './view.ts';
import { mainFolder } from './worktree-files.ts';

/** Before each use of a repository: it belongs to us, leads nowhere else, and is of a kind that can be served. */
export async function checkRepository(place: Place): Promise<RepositoryConfig> {
  const { gitDir, neutralDir } = place;
  checkLinks(gitDir);
  const root = dirname(dirname(neutralDir));
  const alternates = alternatesOf(join(gitDir, 'objects'));
  // The forge's own folder was made by Ship, for itself alone.
  const isOwn = gitDir.startsWith(`${root}/`);
  await requireTrusted(place, ...(isOwn ? alternates : [gitDir, ...alternates]));
  const config = await readRepositoryConfig(gitDir, (content) => parseConfig(neutralDir, content));
  if (config.refusal !== undefined) throw unprocessable(config.refusal);
  if (isForeign(place)) layOwnStore(place);
  return config;
}

/** The folder to run git in for commands on refs, as the repository is now. */
export async function openRepository(place: Place): Promise<string> {
  const config = await checkRepository(place);
  refreshView(place, config, mainFolder(place, config));
  return viewDir(place);
}

export function requireTrusted(place: Place, ...paths: string[]): Promise<void> {
  return checkOwner(paths, () => safeDirectories(place.neutralDir));
}

/** git's own parser, on text: it opens no file that the text names. */
async function parseConfig(neutralDir: string, content: string): Promise<string> {
  const argv = ['config', '--file', '-', '--no-includes', '-z', '--list'];
  return text(await gitPlain(neutralDir, neutralDir, argv, { input: content }));
}

/** From the configuration of the system and of the user, which are trusted. */
async function safeDirectories(neutralDir: string): Promise<string[]> {
  const { HOME, XDG_CONFIG_HOME, GIT_CONFIG_GLOBAL } = process.env;
  const environment = {
    ...(HOME === undefined ? {} : { HOME }),
    ...(XDG_CONFIG_HOME === undefined ? {} : { XDG_CONFIG_HOME }),
    GIT_CONFIG_NOSYSTEM: '0',
    GIT_CONFIG_GLOBAL: GIT_CONFIG_GLOBAL ?? join(HOME ?? '/', '.gitconfig'),
  };
  const argv = ['config', '-z', '--get-all', 'safe.directory'];
  const result = await gitPlain(neutralDir, neutralDir, argv, { environment, answers: [0, 1] });
  return text(result).split('\0').slice(0, -1);
}
