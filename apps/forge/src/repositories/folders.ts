import { existsSync, realpathSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Forge } from '../forge.ts';
import type { Place } from '../git/environment.ts';
import { refTips } from '../git/refs.ts';
import { headBranch } from '../git/revisions.ts';
import { GitError, gitInFolder, gitRefs, text } from '../git/run.ts';
import { unprocessable } from '../http/errors.ts';

export interface FoundFolder {
  gitDir: string;
  /** The working copy; none for a bare repository. */
  folder: string | null;
}

/** What is at a path that the user wants to register, or why it cannot be. */
export async function inspectFolder(forge: Forge, path: string): Promise<FoundFolder> {
  const folder = resolve(path);
  if (!existsSync(folder) || !statSync(folder).isDirectory())
    throw unprocessable(`There is no folder ${folder}.`);
  const real = realpathSync(folder);
  const neutral: Place = { gitDir: forge.neutralDir, neutralDir: forge.neutralDir };
  const ask = async (...argv: string[]) =>
    text(await gitInFolder(neutral, real, ['rev-parse', ...argv])).trim();
  try {
    const gitDir = realpathSync(resolve(real, await ask('--git-common-dir')));
    const bare = (await ask('--is-bare-repository')) === 'true';
    const top = bare ? real : realpathSync(await ask('--show-toplevel'));
    // A folder inside another repository would register that one by surprise.
    if (top !== real)
      throw unprocessable(`${real} is inside the repository ${top}. Register that folder instead.`);
    await refuseUnsupported({ gitDir, neutralDir: forge.neutralDir });
    return { gitDir, folder: bare ? null : real };
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    throw unprocessable(`${real} is not a git repository. Run "git init" there first.`);
  }
}

async function refuseUnsupported(place: Place): Promise<void> {
  const config = async (key: string) =>
    text(await gitRefs(place, ['config', '--local', '--get', key], { answers: [0, 1] })).trim();
  if ((await config('extensions.objectformat')) === 'sha256')
    throw unprocessable('Repositories with SHA-256 object ids are not supported.');
  const partial = await gitRefs(place, ['config', '--local', '--get-regexp', '\\.promisor$'], {
    answers: [0, 1],
  });
  if (partial.code === 0)
    throw unprocessable(
      'This is a partial clone: objects are missing. Run "git fetch --refetch --no-filter" and clone it in full first.',
    );
}

/** The branch that pull requests go to by default: what the origin says, then the usual names, then what is checked out. */
export async function guessDefaultBranch(place: Place): Promise<string> {
  const tips = await refTips(place);
  const origin = await gitRefs(place, ['symbolic-ref', '--quiet', 'refs/remotes/origin/HEAD'], {
    answers: [0, 1, 128],
  });
  const current = await headBranch(place);
  const candidates = [
    text(origin).trim().replace('refs/remotes/origin/', ''),
    'main',
    'master',
    current,
  ];
  const found = candidates.find((name) => name !== undefined && tips.has(`refs/heads/${name}`));
  return found ?? current ?? 'main';
}

export function isBareRepository(path: string): boolean {
  return (
    existsSync(join(path, 'HEAD')) &&
    existsSync(join(path, 'objects')) &&
    existsSync(join(path, 'refs'))
  );
}
