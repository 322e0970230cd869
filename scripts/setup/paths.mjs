import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
/** The state that set-up keeps between runs; ignored by git, safe to delete. */
export const CACHE = join(ROOT, '.cache');
