/** Creates folders for a user: the supervisor creates them, so it must also set their owner. */
import { chown, mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Context } from '../context.ts';
import { errnoOf, RpcError } from '../connect/errors.ts';
import type { User } from '../users.ts';

/** Makes a user the owner of a file, unless there is only one uid inside. */
export async function chownTo(context: Context, path: string, user: User): Promise<void> {
  if (context.config.separateRoot) await chown(path, user.uid, user.gid);
}

/** Creates the folder and all missing parents; existing ones keep their owner. */
export async function ensureFolder(context: Context, path: string, user: User): Promise<void> {
  const missing: string[] = [];
  for (let folder = path; folder !== '/'; folder = dirname(folder)) {
    const found = await stat(folder).catch((error: unknown) => {
      if (errnoOf(error) === 'ENOENT') return undefined;
      throw error;
    });
    if (found !== undefined) {
      if (!found.isDirectory()) throw new RpcError('invalid_argument', `path is a file: ${folder}`);
      break;
    }
    missing.unshift(folder);
  }
  for (const folder of missing) {
    await mkdir(folder, 0o755).catch((error: unknown) => {
      // Another call may create the same folder concurrently.
      if (errnoOf(error) !== 'EEXIST') throw error;
    });
    await chownTo(context, folder, user);
  }
}
