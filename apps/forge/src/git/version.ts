import { ForgeFailure } from '../failure.ts';
import { gitPlain, text } from './process.ts';

const remedy = 'Install git 2.38 or newer (on Debian 12: apt-get install git).';

/** 2.38 added `git merge-tree --write-tree`, which the mergeability of pull requests needs. */
export function isNewEnough(version: string): boolean {
  const [, major = '0', minor = '0'] = /(\d+)\.(\d+)/.exec(version) ?? [];
  return Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 38);
}

export async function checkGit(stateDir: string, neutralDir: string): Promise<void> {
  let version: string;
  try {
    version = text(await gitPlain(neutralDir, stateDir, ['version'])).trim();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    throw new ForgeFailure('git is not installed', remedy);
  }
  if (!isNewEnough(version)) throw new ForgeFailure(`${version} is too old`, remedy);
}
