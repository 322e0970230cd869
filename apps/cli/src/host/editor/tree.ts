import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Uses `du`: a walk over tens of thousands of files in Node would block the sandbox server in the same process. */
export async function folderMegabytes(folder: string): Promise<number | undefined> {
  // du reports files that disappear meanwhile as errors, but still prints the sum.
  const { stdout } = await run('du', ['-s', '-B1M', '--', folder]).catch(
    (thrown: { stdout?: string }) => ({ stdout: thrown.stdout ?? '' }),
  );
  const [, megabytes] = /^(\d+)\t/.exec(stdout) ?? [];
  return megabytes === undefined ? undefined : Number(megabytes);
}

/** Makes the folder readable inside sandboxes, independent of the umask, and flushes it to disk before its rename. */
export async function settle(folder: string): Promise<void> {
  await run('chmod', ['-R', 'u=rwX,go=rX', '--', folder]);
  // A power failure after the rename must not leave empty files that later starts would trust.
  await run('sync', ['-f', '--', folder]);
}
