/** What a stranger waits for: `ship demo` from nothing to a draft pull request, and once more. */
import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as z from 'zod';
import { preparedDataFolder } from '../scripts/testing/prepared-data.ts';
import { type Report, goal } from './table.ts';

const run = promisify(execFile);
const MAIN = fileURLToPath(new URL('../apps/cli/src/main.ts', import.meta.url));
const LIMIT_MS = 110_000;

const ms = z.number().nullable();
const DemoResult = z.looseObject({
  status: z.string(),
  timings: z.looseObject({
    pullRequestMs: ms,
    modelMs: ms,
    firstTokenMs: ms,
    turnMs: ms,
    totalMs: ms,
  }),
});

export async function benchDemo(): Promise<Report> {
  const data = await preparedDataFolder();
  try {
    const first = await demo(data);
    const second = await demo(data);
    return {
      goals: [
        goal('first time, whole command (ms)', first.timings.totalMs ?? Number.NaN, 20_000),
        goal('second time, whole command (ms)', second.timings.totalMs ?? Number.NaN, 8_000),
      ],
      first: first.timings,
      second: second.timings,
    };
  } finally {
    await rm(data, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function demo(data: string): Promise<z.infer<typeof DemoResult>> {
  const { stdout } = await run(process.execPath, [MAIN, 'demo', '--json', '--data', data], {
    timeout: LIMIT_MS,
    maxBuffer: 10_000_000,
  });
  return DemoResult.parse(JSON.parse(stdout.trim().split('\n').at(-1) ?? ''));
}
