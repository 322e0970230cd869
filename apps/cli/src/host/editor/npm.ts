import { execFile, spawn } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { npmProgram } from '@ship/sandbox-server';
import { killWithParent } from '../kill-with-parent.ts';
import type { InstallPackage, InstallProgress } from './installer.ts';
import { requireIntegrity, requireLocked } from './integrity.ts';
import { prune } from './prune.ts';

/** No install scripts run: what they would compile is not needed (logs go to the console, the rest is prebuilt). */
const FLAGS = [
  ...(['--ignore-scripts', '--omit=dev', '--no-audit', '--no-fund'] as const),
  // Fail within seconds when offline, not minutes.
  ...([
    '--fetch-retries=2',
    '--fetch-retry-mintimeout=500',
    '--fetch-retry-maxtimeout=4000',
  ] as const),
];

/** npm settings in the environment that are kept: the registry and how to reach it. */
const NPM_SETTINGS =
  /^npm_config_(?:registry|proxy|https?_proxy|noproxy|ca|cafile|strict_ssl|userconfig|globalconfig)$/i;

export interface PinnedEditor {
  version: string;
  /** Hash of code-server's archive, which contains lock files with the hashes of all dependencies. */
  integrity: string;
}

/** Installs VS Code from the user's npm registry. `onLine` gets npm's output. */
export function npmInstaller(
  { version, integrity }: PinnedEditor,
  onLine: (line: string) => void,
): InstallPackage {
  return async (folder, progress) => {
    progress.onStep('download');
    await runNpm(folder, ['pack', `code-server@${version}`], progress, onLine);
    const archive = join(folder, `code-server-${version}.tgz`);
    requireIntegrity(archive, integrity);
    const editor = join(folder, 'node_modules/code-server');
    mkdirSync(editor, { recursive: true });
    await promisify(execFile)('tar', ['-xzf', archive, '-C', editor, '--strip-components=1']);
    rmSync(archive);
    const code = join(editor, 'lib/vscode');
    // code-server's install script would install the second and third; the third has the JavaScript and TypeScript language server.
    for (const part of [editor, code, join(code, 'extensions')]) {
      if (part === code) progress.onStep('parts');
      await runNpm(part, ['install'], progress, onLine);
      requireLocked(part);
    }
    await prune(code);
  };
}

async function runNpm(
  folder: string,
  words: readonly string[],
  { cacheFolder, signal }: InstallProgress,
  onLine: (line: string) => void,
): Promise<void> {
  mkdirSync(cacheFolder, { recursive: true, mode: 0o700 });
  const { command, args } = killWithParent({
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
  const lines: string[] = [];
  const listen = (text: string): void => {
    for (const line of text.split('\n').filter(Boolean)) {
      onLine(line);
      lines.push(line);
      if (lines.length > 40) lines.shift();
    }
  };
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', listen);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('close', resolve);
    child.once('error', (error) => {
      // Wait for the exit: a running npm still writes into the folder that is removed next.
      if (child.pid === undefined || child.exitCode !== null) reject(error);
    });
  });
  signal.throwIfAborted();
  if (code !== 0) throw new Error(reasonOf(lines));
}

export function npmEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  // npm started Ship itself; its settings for that (workspaces, prefix) must not reach this npm.
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^npm_/i.test(name) || NPM_SETTINGS.test(name)),
  );
}

/** npm's most useful error line: a known cause, else the last error that is not a log file. */
export function reasonOf(lines: readonly string[]): string {
  const errors = lines
    .filter((line) => /^npm (?:error|ERR!)/i.test(line) && !/complete log|\.log$/i.test(line))
    .map((line) => line.replace(/^npm (?:error|ERR!)\s*/i, ''));
  const cause = errors.find((line) => /request to|forbidden|no space|ENOSPC|not found/i.test(line));
  return cause ?? errors.at(-1) ?? lines.at(-1) ?? 'npm exited without output';
}
