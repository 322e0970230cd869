import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** By a program of its own: tens of thousands of files looked at by Node would hold up the sandbox server beside it. */
export async function folderMegabytes(folder: string): Promise<number | undefined> {
  // It complains of files that come and go meanwhile, and tells the sum all the same.
  const { stdout } = await run('du', ['-s', '-B1M', '--', folder]).catch(
    (thrown: { stdout?: string }) => ({ stdout: thrown.stdout ?? '' }),
  );
  const [, megabytes] = /^(\d+)\t/.exec(stdout) ?? [];
  return megabytes === undefined ? undefined : Number(megabytes);
}

/** Readable for the users inside whatever this user's umask is, and on the disk before it gets its name. */
export async function settle(folder: string): Promise<void> {
  await run('chmod', ['-R', 'u=rwX,go=rX', '--', folder]);
  // A power cut after the rename must not leave empty files under a name that is believed ever after.
  await run('sync', ['-f', '--', folder]);
}
