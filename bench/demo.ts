/** A newcomer's wait: `ship demo` from nothing to a draft pull request, a second run, and one beside a running server. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DraftView, createId } from '@ship/protocol';
import * as z from 'zod';
import { end, launchShip, until, untilReady } from '../apps/cli/test/launch.ts';
import { freePort } from '../scripts/testing/free-port.ts';
import { preparedDataFolder } from '../scripts/testing/prepared-data.ts';
import { type Report, goal } from './report.ts';
import { removeFolder } from '../scripts/testing/remove-folder.ts';

const run = promisify(execFile);
const MAIN = fileURLToPath(new URL('../apps/cli/src/main.ts', import.meta.url));
const TIMEOUT_MS = 110_000;

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
    const running = await besideServer(data);
    return {
      goals: [
        goal('first time, whole command (ms)', first.timings.totalMs ?? Number.NaN, 20_000),
        goal('second time, whole command (ms)', second.timings.totalMs ?? Number.NaN, 8_000),
        goal(
          'beside a server that runs, whole command (ms)',
          running.timings.totalMs ?? Number.NaN,
          8_000,
        ),
      ],
      first: first.timings,
      second: second.timings,
      'beside a server that runs': running.timings,
    };
  } finally {
    removeFolder(data);
  }
}

/** The usual setup of people who work with Ship: it is running, and an agent is warm. */
async function besideServer(data: string) {
  const port = String(await freePort());
  const up = launchShip(['up', '--no-open', '--data', data, '--port', port]);
  try {
    await untilReady(up, TIMEOUT_MS);
    await warmAgent(`http://127.0.0.1:${port}`, data);
    return await demo(data);
  } finally {
    await end(up);
  }
}

/** Creates a draft, which prewarms an agent, and discards it. */
async function warmAgent(url: string, data: string): Promise<void> {
  const token = (await readFile(join(data, 'secrets', 'local-token'), 'utf8')).trim();
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const draftId = createId('drf');
  const body = JSON.stringify({ draftId });
  await until(
    'a warm agent',
    async () => {
      const answer = await fetch(`${url}/api/drafts`, { method: 'POST', headers, body });
      return DraftView.parse(await answer.json()).status === 'ready' ? true : undefined;
    },
    TIMEOUT_MS,
    500,
  );
  await fetch(`${url}/api/drafts/${draftId}`, { method: 'DELETE', headers });
}

async function demo(data: string): Promise<z.infer<typeof DemoResult>> {
  const { stdout } = await run(process.execPath, [MAIN, 'demo', '--json', '--data', data], {
    timeout: TIMEOUT_MS,
    maxBuffer: 10_000_000,
  });
  return DemoResult.parse(JSON.parse(stdout.trim().split('\n').at(-1) ?? ''));
}
