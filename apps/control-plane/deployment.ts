/** What `ship deploy` uploads, and the configuration that it starts from: the same files that run on one machine. */
import { fileURLToPath } from 'node:url';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export const DEPLOYMENT = {
  /** Objects, migrations, bucket and assets; the tests run with it. */
  wranglerFile: here('wrangler.jsonc'),
  /** As `build.ts` made it. */
  workerFile: here('dist/worker.js'),
} as const;
