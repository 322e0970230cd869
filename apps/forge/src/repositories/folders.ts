import { existsSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Forge } from '../forge.ts';
import type { RepositoryPaths } from '../git/environment.ts';
import { commonDirOf, findTop, gitDirOf, isWorktreeOf } from '../git/locate.ts';
import { checkRepository, requireTrusted } from '../git/open.ts';
import { refTips } from '../git/refs.ts';
import { gitRefs, text } from '../git/run.ts';
import { headBranch } from '../git/worktree-files.ts';
import { unprocessable } from '../http/errors.ts';

export interface FoundFolder {
  gitDir: string;
  /** The working copy; null for a bare repository. */
  folder: string | null;
}

/** Inspects a folder before its registration, or throws the reason for a refusal. Reads files only: no git runs there. */
export async function inspectFolder(forge: Forge, path: string): Promise<FoundFolder> {
  const folder = resolve(path);
  if (!existsSync(folder) || !statSync(folder).isDirectory())
    throw unprocessable(`The folder ${folder} does not exist.`);
  const real = realpathSync(folder);
  const found = findTop(real);
  if (found === undefined)
    throw unprocessable(`${real} is not a git repository. Run "git init" there first.`);
  // A subfolder would silently register the repository around it.
  if (found.top !== real)
    throw unprocessable(
      `${real} is inside the repository ${found.top}. Register that folder instead.`,
    );
  const gitDir = found.isBareLayout ? real : commonDirOfFolder(real);
  const paths: RepositoryPaths = {
    gitDir,
    neutralDir: forge.neutralDir,
    folder: found.isBareLayout ? null : real,
  };
  await requireTrusted(paths, real);
  const config = await checkRepository(paths);
  if (found.isBareLayout && config.isBare === false)
    throw unprocessable(
      `${real} is the git folder of a working copy. Register the working copy instead.`,
    );
  return { gitDir, folder: found.isBareLayout || config.isBare === true ? null : real };
}

function commonDirOfFolder(folder: string): string {
  const own = gitDirOf(folder);
  const common = own === undefined ? undefined : commonDirOf(own);
  if (own === undefined || common === undefined)
    throw unprocessable(`${folder} is not a git repository. Run "git init" there first.`);
  if (own !== common && !isWorktreeOf(folder, own, common))
    throw unprocessable(
      `${folder} is not a worktree of ${common}. Run "git worktree repair" there first.`,
    );
  // `.git` may name the git folder of another working copy, which is served under its own path.
  if (own === common && basename(own) === '.git' && dirname(own) !== folder)
    throw unprocessable(
      `${join(folder, '.git')} points to ${own}. Register ${dirname(own)} instead.`,
    );
  return common;
}

/** Guesses the default base of pull requests: the origin's default, then the usual names, then the checked-out branch. */
export async function guessDefaultBranch(paths: RepositoryPaths): Promise<string> {
  const tips = await refTips(paths);
  const origin = await gitRefs(paths, ['symbolic-ref', '--quiet', 'refs/remotes/origin/HEAD'], {
    expectedCodes: [0, 1, 128],
  });
  const current = headBranch(paths.gitDir);
  const candidates = [
    text(origin).trim().replace('refs/remotes/origin/', ''),
    'main',
    'master',
    current,
  ];
  const found = candidates.find((name) => name !== undefined && tips.has(`refs/heads/${name}`));
  return found ?? current ?? 'main';
}
