/** Runs the real `ship` as a process, for tests and for endurance runs without a test runner. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CACHE } from '../../../scripts/setup/paths.mjs';

const COMPILED = join(CACHE, 'v8');
const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

export interface Running {
  process: ChildProcess;
  exited: Promise<number | null>;
  output: () => string;
}

/** The caller must end it. `maxOpenFiles` limits the descriptors of each of its processes. */
export function launchShip(
  args: string[],
  env: NodeJS.ProcessEnv = {},
  maxOpenFiles?: number,
): Running {
  const ship = [process.execPath, MAIN, ...args];
  const limited = maxOpenFiles === undefined ? [] : ['prlimit', `--nofile=${maxOpenFiles}`];
  const [command = '', ...rest] = [...limited, ...ship];
  return launch(command, rest, env);
}

/** Runs it in a terminal; a hangup of the terminal ends it. Arguments must not contain spaces. */
export function launchOnTerminal(args: string[]): Running {
  return launch('script', ['-qec', [process.execPath, MAIN, ...args].join(' '), '/dev/null'], {});
}

/** Runs it in a terminal with typed input: `text` stays in the terminal until it is read. */
export function launchTyped(args: string[], text: string): Running {
  const command = [process.execPath, MAIN, ...args].join(' ');
  const running = launch('script', ['-qec', command, '/dev/null'], {}, 'pipe');
  running.process.stdin?.write(text);
  return running;
}

function launch(
  command: string,
  args: string[],
  env: NodeJS.ProcessEnv,
  input: 'ignore' | 'pipe' = 'ignore',
): Running {
  const child = spawn(command, args, {
    // Uses the compile cache, like scripts/run: these tests start the program many times.
    env: {
      PATH: process.env.PATH,
      TMPDIR: process.env.TMPDIR,
      NO_COLOR: '1',
      NODE_COMPILE_CACHE: COMPILED,
      ...env,
    },
    stdio: [input, 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  }
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { process: child, exited, output: () => output };
}

const END_MS = 60_000;

export async function kill({ process: child, exited }: Running): Promise<void> {
  child.kill('SIGKILL');
  await exited;
}

/** Sends SIGTERM, because sandboxes outlive a killed server; after a timeout SIGKILL. */
export async function end(running: Running): Promise<void> {
  running.process.kill('SIGTERM');
  const late = setTimeout(() => running.process.kill('SIGKILL'), END_MS);
  await running.exited;
  clearTimeout(late);
}

/** Only for what hangs: at a load of 30, `ship up` on two cores takes half a minute to start. */
const HANGS_MS = 100_000;

/** Waits for a condition, not for a time. */
export async function until<T>(
  what: string,
  probe: () => T | undefined | Promise<T | undefined>,
  timeoutMs = HANGS_MS,
  everyMs = 20,
): Promise<T> {
  const deadlineMs = Date.now() + timeoutMs;
  while (Date.now() < deadlineMs) {
    const found = await probe();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
  throw new Error(`timed out waiting for: ${what}`);
}

/** Returns the printed link. */
export async function untilReady(running: Running, timeoutMs?: number): Promise<string> {
  return until(
    'the ready line',
    () => {
      if (running.process.exitCode !== null) throw new Error(`ended early: ${running.output()}`);
      return /^ship: ready (http:\S+)$/m.exec(running.output())?.[1];
    },
    timeoutMs,
  );
}

/** Processes whose command line contains the text, to check that nothing was left behind. */
export function processesWith(text: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text);
      } catch {
        return false;
      }
    });
}
