/** Runs named steps and reports how each ended. */
import { type ChildProcess, spawn } from 'node:child_process';
import { availableParallelism, constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { readStat } from './setup/times.mjs';
import { LostTime, readProcesses } from './test/processor-time.ts';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

export interface Step {
  name: string;
  command: string;
  args: string[];
  env?: Record<string, string>;
}

export interface StepResult {
  name: string;
  passed: boolean;
  wallMs: number;
  /** Processor time of the step with the processes that it started. */
  cpuMs: number;
}

export interface RunOptions {
  /** Hides the output of a step that passes, so that a failing one stands out. */
  quiet: boolean;
  /** Parallel steps; with more than one, the output of each is held until it ends, so that outputs do not mix. */
  lanes?: number;
  /** Runs with the lowest priority, for steps beside tests that have timeouts. */
  background?: boolean;
  /** Also counts the time of processes whose parent was killed, by reading /proc while the step runs. */
  measured?: boolean;
  say?: (text: string) => void;
}

const SAMPLE_INTERVAL_MS = 500;

/** A program of an npm package. */
export function tool(name: string, ...args: string[]): Pick<Step, 'command' | 'args'> {
  return { command: `${ROOT}node_modules/.bin/${name}`, args };
}

/** A compiler takes half a gigabyte: more than two would not fit on a small machine. */
const QUIET_LANES = Math.min(2, availableParallelism());

const running = new Set<ChildProcess>();
const queues = new Set<Step[]>();

/** An interrupted runner must neither leave steps behind, which hold ports and folders, nor start the next one. */
export function endStepsOnSignal(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      for (const queue of queues) queue.length = 0;
      for (const child of running) child.kill(signal);
    });
}

export async function runSteps(steps: readonly Step[], options: RunOptions): Promise<StepResult[]> {
  const waiting = [...steps];
  queues.add(waiting);
  const results: StepResult[] = [];
  const lanes = options.lanes ?? (options.quiet ? QUIET_LANES : 1);
  const lane = async () => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift())
      results.push(await runStep(step, { ...options, lanes }));
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  queues.delete(waiting);
  return results;
}

export const failedNames = (results: readonly StepResult[]): string[] =>
  results.filter(({ passed }) => !passed).map(({ name }) => name);

async function runStep(step: Step, options: RunOptions): Promise<StepResult> {
  const { quiet, say = (text) => process.stdout.write(text) } = options;
  const startedAtMs = performance.now();
  const { code, output, cpuMs } = await run(step, options);
  const wallMs = performance.now() - startedAtMs;
  const mark = code === 0 ? '✓' : '✗';
  say(
    `${code === 0 && quiet ? '' : output}${mark} ${step.name} (${(wallMs / 1000).toFixed(1)} s)\n`,
  );
  return { name: step.name, passed: code === 0, wallMs, cpuMs };
}

interface Ended {
  code: number;
  output: string;
  cpuMs: number;
}

function run(
  { command, args, env }: Step,
  { quiet, lanes = 1, background = false, measured = false }: RunOptions,
): Promise<Ended> {
  return new Promise((resolve) => {
    const stream = quiet || lanes > 1 ? 'pipe' : 'inherit';
    const child = spawn(command, args, {
      cwd: ROOT,
      env: { ...process.env, ...env },
      stdio: ['ignore', stream, stream],
    });
    running.add(child);
    if (background && child.pid !== undefined)
      setPriority(child.pid, constants.priority.PRIORITY_LOW);
    const lost = measured && child.pid !== undefined ? new LostTime(child.pid) : undefined;
    const timer = lost && setInterval(() => lost.sample(readProcesses()), SAMPLE_INTERVAL_MS);
    let output = '';
    for (const source of [child.stdout, child.stderr])
      source?.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
    let cpuMs = 0;
    child.once('exit', () => {
      clearInterval(timer);
      const waitedMs = takeWaitedMs();
      cpuMs = lost?.end(waitedMs) ?? waitedMs;
    });
    const end = (code: number, text: string) => {
      running.delete(child);
      resolve({ code, output: text, cpuMs });
    };
    child.once('error', (error) => end(1, `${error.message}\n`));
    child.once('close', (code) => end(code ?? 1, output));
  });
}

let takenMs = 0;
/**
 * The processor time of the children that ended since the last call. The kernel adds it to this process when a child
 * ends; two that end in the same moment are both counted for the first.
 */
function takeWaitedMs(): number {
  try {
    const { waitedMs } = readStat('self');
    const newMs = waitedMs - takenMs;
    takenMs = waitedMs;
    return newMs;
  } catch {
    // Not Linux.
    return 0;
  }
}
