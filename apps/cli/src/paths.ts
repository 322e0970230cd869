import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The clone that contains this program. */
const CLONE = fileURLToPath(new URL('../../..', import.meta.url));

/** The built web app. */
export const WEB_APP_FOLDER = fileURLToPath(new URL('../../web/dist', import.meta.url));

/** Default of `--data` for all verbs. */
export const DEFAULT_DATA_FOLDER = '.ship';

/** Resolves a path relative to the user's folder: npm and npx run programs in the package's folder instead. */
export function resolveUserPath(path: string): string {
  return resolve(process.env.INIT_CWD ?? process.cwd(), path);
}

/**
 * Resolves `--data`. The default is the clone's data folder, unless the user's folder has one: otherwise `ship run` in a
 * repository would start another server and put its state among the user's files.
 */
export function dataFolderAt(path: string): string {
  const folder = resolveUserPath(path);
  const isChosen = path !== DEFAULT_DATA_FOLDER || existsSync(join(folder, 'run'));
  return isChosen ? folder : join(CLONE, DEFAULT_DATA_FOLDER);
}
