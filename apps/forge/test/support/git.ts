import { join } from 'node:path';
import { commit, git } from '../../../../scripts/testing/git.ts';

export { commit, git, gitFailure, write } from '../../../../scripts/testing/git.ts';

/** A clone with a first commit on `main`, pushed to an empty repository of the forge. */
export async function seeded(folder: string, gitUrl: string, fullName: string): Promise<string> {
  const work = join(folder, fullName.replaceAll('/', '-'));
  await git(folder, 'init', '-q', '-b', 'main', work);
  await git(work, 'remote', 'add', 'origin', `${gitUrl}/${fullName}.git`);
  await commit(work, { 'README.md': '# app\n', 'src/a.txt': 'one\ntwo\nthree\n' }, 'first commit');
  await git(work, 'push', '-q', 'origin', 'main');
  return work;
}

/** Pushes a branch with one commit. */
export async function pushedBranch(
  work: string,
  branch: string,
  files: Record<string, string | Buffer>,
  message = `work on ${branch}`,
): Promise<string> {
  await git(work, 'checkout', '-q', '-B', branch, 'main');
  const sha = await commit(work, files, message);
  await git(work, 'push', '-q', '--force', 'origin', `${branch}:${branch}`);
  return sha;
}
