import { existsSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Forge } from '../forge.ts';
import type { Place } from '../git/environment.ts';
import { commonDirOf, findTop, gitDirOf, isWorktreeOf } from '../git/locate.ts';
import { checkRepository, requireTrusted } from '../git/open.ts';
import { refTips } from '../git/refs.ts';
import { gitRefs, text } from '../git/run.ts';
import { headBranch } from '../git/worktree-files.ts';
import { unprocessable } from '../http/errors.ts';

export interface FoundFolder {
  gitDir: string;
  /** The working copy; none for a bare repository. */
  folder: string | null;
}

/** What is at a path that the user wants to register, or why it cannot be. Read from files: no git runs in there. */
export async function inspectFolder(forge: Forge, path: string): Promise<FoundFolder> {
  const folder = resolve(path);
  if (!existsSync(folder) || !statSync(folder).isDirectory())
    throw unprocessable(`There is no folder ${folder}.`);
  const real = realpathSync(folder);
  const found = findTop(real);
  if (found === undefined)
    throw unprocessable(`${real} is not a git repository. Run "git init" there first.`);
  // A folder inside another repository would register that one by surprise.
  if (found.top !== real)
    throw unprocessable(
      `${real} is inside the repository ${found.top}. Register that folder instead.`,
    );
  const gitDir = found.isBareLayout ? real : commonDirOfFolder(real);
  const place: Place = {
    gitDir,
    neutralDir: forge.neutralDir,
    folder: found.isBareLayout ? null : real,
  };
  await requireTrusted(place, real);
  const config = await checkRepository(place);
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
  // `.git` may name any git folder; that of another working copy is served under that one's path.
  if (own === common && basename(own) === '.git' && dirname(own) !== folder)
    throw unprocessable(
      `${join(folder, '.git')} leads to ${own}. Register ${dirname(own)} instead.`,
    );
  return common;
}

/** The branch that pull requests go to by default: what the origin says, then the usual names, then what is checked out. */
export async function guessDefaultBranch(place: Place): Promise<string> {
  const tips = await refTips(place);
  const origin = await gitRefs(place, ['symbolic-ref', '--quiet', 'refs/remotes/origin/HEAD'], {
    answers: [0, 1, 128],
  });
  const current = headBranch(place.gitDir);
  const candidates = [
    text(origin).trim().replace('refs/remotes/origin/', ''),
    'main',
    'master',
    current,
  ];
  const found = candidates.find((name) => name !== undefined && tips.has(`refs/heads/${name}`));
  return found ?? current ?? 'main';
}
