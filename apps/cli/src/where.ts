import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The built page. */
export const PAGE_FOLDER = fileURLToPath(new URL('../../web/dist', import.meta.url));

/** Of `--data`, for all verbs. */
export const DEFAULT_DATA_FOLDER = '.ship';

/** npm and npx run programs in the package's folder; what the user typed is relative to where it was typed. */
export function fromUsersFolder(path: string): string {
  return resolve(process.env.INIT_CWD ?? process.cwd(), path);
}
