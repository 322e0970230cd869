/** The files that `ship deploy` uploads and starts from. The worker file is the one that runs on one machine. */
import { fileURLToPath } from 'node:url';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export const DEPLOYMENT = {
  /** Durable Objects, migrations, bucket and assets; the tests use it too. */
  wranglerFile: here('wrangler.jsonc'),
  /** The output of `build.ts`. */
  workerFile: here('dist/worker.js'),
} as const;
