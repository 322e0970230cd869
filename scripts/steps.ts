/** Runs named steps and says at the end which failed. */
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

export interface Step {
  name: string;
  command: string;
  args: string[];
  env?: Record<string, string>;
}

/** A program that an npm package brought. */
export function tool(name: string, ...args: string[]): Pick<Step, 'command' | 'args'> {
  return { command: `${ROOT}node_modules/.bin/${name}`, args };
}

/** A compiler takes half a gigabyte: not more of them than a small machine has room for. */
const QUIET_AT_ONCE = Math.min(2, availableParallelism());

/**
 * Output of a passing step is dropped when `quiet`, so that the one that failed can be seen. Only such steps run beside
 * each other: what others print would be mixed up.
 */
export async function runSteps(steps: Step[], { quiet }: { quiet: boolean }): Promise<string[]> {
  const waiting = [...steps];
  const failed: string[] = [];
  const lane = async () => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift())
      if (!(await succeeds(step, quiet))) failed.push(step.name);
  };
  await Promise.all(Array.from({ length: quiet ? QUIET_AT_ONCE : 1 }, lane));
  return failed;
}

async function succeeds(step: Step, quiet: boolean): Promise<boolean> {
  const startedAtMs = performance.now();
  const { code, output } = await run(step, quiet);
  const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(1);
  if (code !== 0) process.stdout.write(output);
  process.stdout.write(`${code === 0 ? '✓' : '✗'} ${step.name} (${seconds} s)\n`);
  return code === 0;
}

function run(
  { command, args, env }: Step,
  quiet: boolean,
): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: ROOT,
      env: { ...process.env, ...env },
      stdio: ['ignore', quiet ? 'pipe' : 'inherit', quiet ? 'pipe' : 'inherit'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
    }
    child.once('error', (error) => resolve({ code: 1, output: `${error.message}\n` }));
    child.once('close', (code) => resolve({ code: code ?? 1, output }));
  });
}
