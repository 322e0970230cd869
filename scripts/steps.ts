/** Runs named steps one after the other and says at the end which failed. */
import { spawn } from 'node:child_process';
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

/** Output of a passing step is dropped when `quiet`, so that the one that failed can be seen. */
export async function runSteps(steps: Step[], { quiet }: { quiet: boolean }): Promise<string[]> {
  const failed: string[] = [];
  for (const step of steps) {
    const startedAtMs = performance.now();
    const { code, output } = await run(step, quiet);
    const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(1);
    if (code !== 0) {
      failed.push(step.name);
      process.stdout.write(output);
    }
    process.stdout.write(`${code === 0 ? '✓' : '✗'} ${step.name} (${seconds} s)\n`);
  }
  return failed;
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
