/** Making folders for a user: the supervisor makes them, so it must also hand them over. */
import { chown, mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Context } from '../context.ts';
import { errnoOf, RpcError } from '../connect/errors.ts';
import type { User } from '../users.ts';

/** Gives a file to its user, unless there is only one uid inside. */
export async function giveTo(context: Context, path: string, user: User): Promise<void> {
  if (context.config.separateRoot) await chown(path, user.uid, user.gid);
}

/** Makes the folder and every missing one above it; existing ones keep their owner. */
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
      // Another call may make the same folder at the same time.
      if (errnoOf(error) !== 'EEXIST') throw error;
    });
    await giveTo(context, folder, user);
  }
}
