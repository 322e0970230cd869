/** A person's git, and repositories for it. */
import { mkdir } from 'node:fs/promises';
import { commit, git } from '../../../../../scripts/testing/git.ts';

export { commit, git, gitFailure, write } from '../../../../../scripts/testing/git.ts';

/** A working copy with a first commit on `main`. */
export async function repository(folder: string, branch = 'main'): Promise<string> {
  await mkdir(folder, { recursive: true });
  await git(folder, 'init', '-q', '-b', branch);
  await commit(
    folder,
    { 'README.md': '# app\n', 'src/a.txt': 'one\ntwo\nthree\n' },
    'first commit',
  );
  return folder;
}
