/** Runs the wrangler of this clone: never another one, never with the user's keys in its environment, never telling on. */
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { Failure } from '../failure.ts';
import { SECRETS, exportedName } from './variables.ts';

const require = createRequire(import.meta.url);

interface WranglerRun {
  /** Written to its standard input; without it the user's own terminal, so that it can ask. */
  input?: string;
  /** Shown while it happens, or only kept. */
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
      'wrangler, with which Ship is deployed, is not installed in this clone.',
      'Run `npm install` in the clone; plain `npm start` leaves the development tools out.',
    );
  }
}

export function wranglerEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const ours = new Set(SECRETS.flatMap((secret) => [secret.name, exportedName(secret)]));
  return {
    ...Object.fromEntries(Object.entries(env).filter(([name]) => !ours.has(name))),
    WRANGLER_SEND_METRICS: 'false',
    WRANGLER_SEND_ERROR_REPORTS: 'false',
    // Without its banner it does not ask the registry for a newer version either.
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
      // It may end before it has read everything; how it ended says enough.
      child.stdin?.on('error', () => undefined);
      child.stdin?.end(input);
      child.once('error', reject);
      child.once('close', (code) => resolve({ code: code ?? 1, ...end }));
    });
}

/** The last words of a program that failed, without colours. */
export function lastWords({ stdout, stderr }: WranglerEnd): string {
  const lines = stripVTControlCharacters(`${stdout}\n${stderr}`)
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.includes('Logs were written'));
  return lines.slice(-6).join('\n');
}
