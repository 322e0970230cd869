import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './paths.mjs';
import { SetupError, runStep } from './report.mjs';

/** Ship's TypeScript runs unbuilt, which Node supports from 24 on. */
const MINIMUM_MAJOR = 24;
const FOLDER = join(ROOT, 'scripts', 'node');

/** The machine's Node when it is new enough, else Node 24 from the npm registry, kept inside this clone. */
export async function ensureNode() {
  if (Number(process.versions.node.split('.')[0]) >= MINIMUM_MAJOR) return process.execPath;
  const name = `node-${process.platform}-${process.arch}`;
  const binary = join(FOLDER, 'node_modules', name, 'bin', 'node');
  if (existsSync(binary)) return binary;
  if (process.platform !== 'linux' || !['x64', 'arm64'].includes(process.arch)) {
    throw new SetupError(
      `Node ${process.versions.node} is too old, and there is no prepared Node for ${process.platform}-${process.arch}`,
      `Install Node ${MINIMUM_MAJOR} or newer and run the command again.`,
    );
  }
  await runStep({
    title: `fetching Node ${MINIMUM_MAJOR} (this machine has ${process.versions.node})`,
    command: 'npm',
    args: ['ci', '--no-audit', '--no-fund'],
    cwd: FOLDER,
    remedy: `Check that the npm registry can be reached, or install Node ${MINIMUM_MAJOR} or newer yourself.`,
  });
  if (existsSync(binary)) return binary;
  throw new SetupError(
    `the npm package ${name} did not bring ${binary}`,
    `Install Node ${MINIMUM_MAJOR} or newer yourself and run the command again.`,
  );
}
