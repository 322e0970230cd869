import { join } from 'node:path';
import { CACHE } from '../setup/paths.mjs';
import { removeFolder } from './remove-folder.ts';

/** Folder of the prebuilt template (prepared-data.ts). */
export const PREPARED = join(CACHE, 'prepared-sandboxes');

/** For a run of an ordinary user, who must be able to delete the clone with a plain `rm -rf`: the template's owner is another id. */
export function forgetPreparedData(): void {
  if (process.getuid?.() !== 0) removeFolder(PREPARED);
}
