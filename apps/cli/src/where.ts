import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The clone that this program is a part of. */
const CLONE = fileURLToPath(new URL('../../..', import.meta.url));

/** The built page. */
export const PAGE_FOLDER = fileURLToPath(new URL('../../web/dist', import.meta.url));

/** Of `--data`, for all verbs. */
export const DEFAULT_DATA_FOLDER = '.ship';

/** npm and npx run programs in the package's folder; what the user typed is relative to where it was typed. */
export function fromUsersFolder(path: string): string {
  return resolve(process.env.INIT_CWD ?? process.cwd(), path);
}

/**
 * The data folder of `--data`. The default is that of the clone, unless the user's folder has one: otherwise `ship run` in
 * a repository would start a server of its own and leave its state among the user's files.
 */
export function dataFolderAt(path: string): string {
  const folder = fromUsersFolder(path);
  const isChosen = path !== DEFAULT_DATA_FOLDER || existsSync(join(folder, 'run'));
  return isChosen ? folder : join(CLONE, DEFAULT_DATA_FOLDER);
}
