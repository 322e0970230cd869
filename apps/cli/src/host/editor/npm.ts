import { execFile, spawn } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { npmProgram } from '@ship/sandbox-server';
import { endingWithItsParent } from '../ending-with-parent.ts';
import type { Bring, BringProgress } from './installer.ts';
import { requireIntegrity, requireLocked } from './integrity.ts';
import { prune } from './prune.ts';

/** Nothing of the packages is run: what they would compile is not needed (logs go to the console, the rest is prebuilt). */
const FLAGS = [
  ...(['--ignore-scripts', '--omit=dev', '--no-audit', '--no-fund'] as const),
  // Offline is known within seconds, not minutes.
  ...([
    '--fetch-retries=2',
    '--fetch-retry-mintimeout=500',
    '--fetch-retry-maxtimeout=4000',
  ] as const),
];

/** Of what npm is told by the environment: where the registry is and how it is reached. */
const NPM_SETTINGS =
  /^npm_config_(?:registry|proxy|https?_proxy|noproxy|ca|cafile|strict_ssl|userconfig|globalconfig)$/i;

export interface PinnedEditor {
  version: string;
  /** Of code-server's archive. The archive has lock files with the hashes of everything else. */
  integrity: string;
}

/** VS Code from the npm registry that this user has. `onLine` gets what npm says. */
export function npmSource(
  { version, integrity }: PinnedEditor,
  onLine: (line: string) => void,
): Bring {
  return async (folder, progress) => {
    progress.tell('download');
    await runNpm(folder, ['pack', `code-server@${version}`], progress, onLine);
    const archive = join(folder, `code-server-${version}.tgz`);
    requireIntegrity(archive, integrity);
    const editor = join(folder, 'node_modules/code-server');
    mkdirSync(editor, { recursive: true });
    await promisify(execFile)('tar', ['-xzf', archive, '-C', editor, '--strip-components=1']);
    rmSync(archive);
    const code = join(editor, 'lib/vscode');
    // The second and third are what its own install script would do; the third has the language server for JavaScript and TypeScript.
    for (const part of [editor, code, join(code, 'extensions')]) {
      if (part === code) progress.tell('parts');
      await runNpm(part, ['install'], progress, onLine);
      requireLocked(part);
    }
    await prune(code);
  };
}

async function runNpm(
  folder: string,
  words: readonly string[],
  { cacheFolder, signal }: BringProgress,
  onLine: (line: string) => void,
): Promise<void> {
  mkdirSync(cacheFolder, { recursive: true, mode: 0o700 });
  const { command, args } = endingWithItsParent({
    command: process.execPath,
    args: [npmProgram(), ...words, ...FLAGS, '--prefix', folder, '--cache', cacheFolder],
  });
  const child = spawn(command, args, {
    cwd: folder,
    env: npmEnvironment(process.env),
    stdio: ['ignore', 'pipe', 'pipe'],
    killSignal: 'SIGKILL',
    signal,
  });
  const said: string[] = [];
  const listen = (text: string): void => {
    for (const line of text.split('\n').filter(Boolean)) {
      onLine(line);
      said.push(line);
      if (said.length > 40) said.shift();
    }
  };
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', listen);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('close', resolve);
    child.once('error', (error) => {
      // Until it has ended it writes into the folder that is about to be removed.
      if (child.pid === undefined || child.exitCode !== null) reject(error);
    });
  });
  signal.throwIfAborted();
  if (code !== 0) throw new Error(reasonOf(said));
}

export function npmEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  // Ship itself is started by npm, whose settings for that (workspaces, prefix) must not reach this one.
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^npm_/i.test(name) || NPM_SETTINGS.test(name)),
  );
}

/** npm's first line is a code; the last one that names an error and no file says most. */
export function reasonOf(said: readonly string[]): string {
  const errors = said
    .filter((line) => /^npm (?:error|ERR!)/i.test(line) && !/complete log|\.log$/i.test(line))
    .map((line) => line.replace(/^npm (?:error|ERR!)\s*/i, ''));
  const telling = errors.find((line) =>
    /request to|forbidden|no space|ENOSPC|not found/i.test(line),
  );
  return telling ?? errors.at(-1) ?? said.at(-1) ?? 'npm ended without a word';
}
