/** Starts the real `ship` as a user would, for tests. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Health } from '@ship/protocol';
import { onTestFinished } from 'vitest';
import { CACHE } from '../../../scripts/setup/paths.mjs';
import { preparedDataFolder } from '../../../scripts/testing/prepared-data.ts';

const COMPILED = join(CACHE, 'v8');
const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

export interface Running {
  process: ChildProcess;
  exited: Promise<number | null>;
  output: () => string;
}

export function ship(args: string[], env: NodeJS.ProcessEnv = {}): Running {
  const running = launchShip(args, env);
  onTestFinished(() => kill(running));
  return running;
}

/** For a whole file of tests: whoever launches it kills it. */
export function launchShip(args: string[], env: NodeJS.ProcessEnv = {}): Running {
  const child = spawn(process.execPath, [MAIN, ...args], {
    // Compiled code is kept, as for everybody else (scripts/run): these tests start the program many times.
    env: { PATH: process.env.PATH, NO_COLOR: '1', NODE_COMPILE_CACHE: COMPILED, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  }
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { process: child, exited, output: () => output };
}

export async function kill({ process: child, exited }: Running): Promise<void> {
  child.kill('SIGKILL');
  await exited;
}

/** A data folder in which sandboxes can start at once. */
export async function preparedFolder(): Promise<string> {
  const folder = await preparedDataFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ship-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Waits for a condition, not for a time. */
export async function until<T>(
  what: string,
  probe: () => T | undefined | Promise<T | undefined>,
  timeoutMs = 30_000,
): Promise<T> {
  const deadlineMs = Date.now() + timeoutMs;
  while (Date.now() < deadlineMs) {
    const found = await probe();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`waited in vain for: ${what}`);
}

export async function untilReady(running: Running): Promise<string> {
  return until('the ready line', () => {
    if (running.process.exitCode !== null) throw new Error(`ended early: ${running.output()}`);
    return /^ship: ready (http:\S+)$/m.exec(running.output())?.[1];
  });
}

/** Undefined while nobody answers. */
export async function readHealth(port: number): Promise<Health | undefined> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/api/health`, {
      signal: AbortSignal.timeout(2_000),
    });
    return Health.parse(await response.json());
  } catch {
    return undefined;
  }
}

/** Processes whose command line mentions the text: how a test sees that nothing was left behind. */
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
