import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, delimiter, join } from 'node:path';
import { ROOT } from './paths.mjs';
import { runStep } from './report.mjs';

/**
 * The build products of `npm start`. Each is rebuilt when the content of one of its source files changes, not its time:
 * a fresh checkout of the same commit must not rebuild, an edit within the same second must.
 */
const PRODUCTS = [
  {
    title: 'building the control plane',
    output: 'apps/control-plane/dist',
    inputs: ['apps/control-plane', 'packages/protocol', 'packages/core'],
    args: ['apps/control-plane/build.ts'],
  },
  {
    title: 'building the page',
    output: 'apps/web/dist',
    inputs: ['apps/web', 'packages/protocol', 'packages/core'],
    args: ['node_modules/vite/bin/vite.js', 'build', 'apps/web', '--logLevel', 'warn'],
  },
];

/** @param {string} node */
export async function buildApps(node) {
  const stale = PRODUCTS.map((product) => ({ ...product, hash: inputHash(product.inputs) })).filter(
    ({ output, hash }) => readStamp(output) !== hash,
  );
  for (const { title, output, args, hash } of stale) {
    rmSync(stampFile(output), { force: true });
    await runStep({
      title,
      command: node,
      args,
      env: {
        ...process.env,
        PATH: `${dirname(node)}${delimiter}${process.env.PATH}`,
        NODE_ENV: 'production',
      },
      remedy:
        'If you changed the source, fix the error above. Otherwise delete node_modules and run the command again.',
    });
    writeFileSync(stampFile(output), hash);
  }
}

/** @param {string} output */
function stampFile(output) {
  return join(ROOT, output, '.built-from');
}

/** @param {string} output */
function readStamp(output) {
  const file = stampFile(output);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/** @param {string[]} folders */
function inputHash(folders) {
  const hash = createHash('sha256').update(readFileSync(join(ROOT, 'package-lock.json')));
  for (const folder of folders) addFolder(hash, folder);
  return hash.digest('hex');
}

/** @param {import('node:crypto').Hash} hash @param {string} folder */
function addFolder(hash, folder) {
  const entries = readdirSync(join(ROOT, folder), { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      if (entry.name !== 'node_modules' && entry.name !== 'dist') addFolder(hash, path);
    } else if (entry.isFile() && !/\.test\.tsx?$/.test(entry.name)) {
      hash
        .update(path)
        .update('\0')
        .update(readFileSync(join(ROOT, path)))
        .update('\0');
    }
  }
}
