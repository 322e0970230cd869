/** Runs this clone's wrangler, never another one, without the user's keys in its environment and without telemetry. */
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { Failure } from '../failure.ts';
import { SECRETS, exportedName } from './variables.ts';

const require = createRequire(import.meta.url);

interface WranglerRun {
  /** Written to stdin; without it, stdin is the user's terminal, so that wrangler can ask. */
  input?: string;
  /** Whether to print the output as it arrives. */
  show: boolean;
  cwd: string;
}

export interface WranglerEnd {
  code: number;
  stdout: string;
  stderr: string;
}

export type Wrangler = (args: string[], run: WranglerRun) => Promise<WranglerEnd>;

function findWrangler(): string {
  try {
    return join(dirname(require.resolve('wrangler/package.json')), 'bin', 'wrangler.js');
  } catch {
    throw new Failure(
      'wrangler is not installed in this clone, and ship deploy needs it.',
      'Run `npm install` in the clone; `npm start` does not install the development tools.',
    );
  }
}

export function wranglerEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const ours = new Set(SECRETS.flatMap((secret) => [secret.name, exportedName(secret)]));
  return {
    ...Object.fromEntries(Object.entries(env).filter(([name]) => !ours.has(name))),
    WRANGLER_SEND_METRICS: 'false',
    WRANGLER_SEND_ERROR_REPORTS: 'false',
    // Hiding the banner also disables the check for a newer version.
    WRANGLER_HIDE_BANNER: 'true',
  };
}

export function wrangler(env: NodeJS.ProcessEnv): Wrangler {
  const program = findWrangler();
  return (args, { input, show, cwd }) =>
    new Promise((resolve, reject) => {
      const child = spawn(process.execPath, ['--no-warnings', program, ...args], {
        cwd,
        env: wranglerEnvironment(env),
        stdio: [input === undefined ? (show ? 'inherit' : 'ignore') : 'pipe', 'pipe', 'pipe'],
      });
      const end = { stdout: '', stderr: '' };
      for (const name of ['stdout', 'stderr'] as const)
        child[name]?.setEncoding('utf8').on('data', (chunk: string) => {
          end[name] += chunk;
          if (show) process.stderr.write(chunk);
        });
      // wrangler may exit before it has read all input; its exit code is sufficient.
      child.stdin?.on('error', () => undefined);
      child.stdin?.end(input);
      child.once('error', reject);
      child.once('close', (code) => resolve({ code: code ?? 1, ...end }));
    });
}

/** The last lines of a failed program's output, without colors. */
export function lastLines({ stdout, stderr }: WranglerEnd): string {
  const lines = stripVTControlCharacters(`${stdout}\n${stderr}`)
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.includes('Logs were written'));
  return lines.slice(-6).join('\n');
}
