/**
 * The supervisor's folder (`/opt/envd` inside): Node, the bundled supervisor and its code cache, the terminal's native
 * module and the `sudo` helper. Named by content: a new version never changes the files under a running sandbox.
 */
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, stop } from 'esbuild';
import { buildCodeCache } from './code-cache.ts';

const ENTRY = fileURLToPath(new URL('../envd/main.ts', import.meta.url));
const HELPERS = fileURLToPath(new URL('../envd/helpers', import.meta.url));
const HELPER_NAMES = ['envd.cjs', 'sudo', 'sudo-broker', 'xattr'];

export interface Runtime {
  /** `runtime/<hash>/fs`, and an empty folder: overlayfs needs two lower folders for a read-only mount. */
  name: string;
}

export async function buildRuntime(
  runtimeFolder: string,
  nodePath = process.execPath,
): Promise<Runtime> {
  const bundle = await bundleSupervisor();
  const terminal = terminalBinary();
  const node = statSync(nodePath);
  const hash = createHash('sha256')
    .update(bundle)
    .update(readFileSync(terminal))
    .update(HELPER_NAMES.map((name) => readFileSync(join(HELPERS, name), 'utf8')).join('\0'))
    .update(`${nodePath}:${node.size}:${node.mtimeMs}:${node.ino}`)
    .digest('hex')
    .slice(0, 16);
  const final = join(runtimeFolder, hash);
  mkdirSync(join(runtimeFolder, 'empty'), { recursive: true });
  if (existsSync(final)) return { name: hash };
  const temporary = join(runtimeFolder, `.new-${process.pid}-${Date.now()}`);
  mkdirSync(temporary, { mode: 0o755, recursive: true });
  writeFileSync(join(temporary, 'supervisor.js'), bundle);
  copyFileSync(terminal, join(temporary, 'pty.node'));
  placeNode(nodePath, join(temporary, 'node'));
  // The supervisor's program has another name: `pkill node` is a common command, and must not end the sandbox.
  linkSync(join(temporary, 'node'), join(temporary, 'envd'));
  for (const name of HELPER_NAMES) {
    copyFileSync(join(HELPERS, name), join(temporary, name));
    chmodSync(join(temporary, name), 0o755);
  }
  await buildCodeCache(temporary);
  moveIntoPlace(temporary, final);
  return { name: hash };
}

/** Another server may have built the same content concurrently: either copy is fine. */
function moveIntoPlace(temporary: string, final: string): void {
  try {
    renameSync(temporary, final);
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    if (!existsSync(final)) throw error;
  }
}

/** A hard link shares the server's pages of the binary, 30 MB per sandbox; across file systems it must be a copy. */
function placeNode(source: string, target: string): void {
  try {
    linkSync(source, target);
  } catch {
    copyFileSync(source, target);
    chmodSync(target, 0o755);
  }
}

async function bundleSupervisor(): Promise<string> {
  const result = await build({
    entryPoints: [ENTRY],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'cjs',
    target: 'node22',
    minifySyntax: true,
    minifyWhitespace: true,
    logLevel: 'silent',
  });
  // esbuild keeps a process for the next build; there is none, and it would cost 17 MB forever.
  await stop();
  const [file] = result.outputFiles;
  if (file === undefined) throw new Error('the supervisor bundle is empty');
  return file.text;
}

function terminalBinary(): string {
  const require = createRequire(import.meta.url);
  const packageName = `@lydell/node-pty-linux-${process.arch}`;
  const fromPty = createRequire(require.resolve('@lydell/node-pty'));
  return join(fromPty.resolve(`${packageName}/package.json`), '..', 'pty.node');
}
