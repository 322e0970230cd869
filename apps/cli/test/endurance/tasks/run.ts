/** Ten tasks with `ship run --wait --json` on one server: each must give a pull request with passing tests and leave nothing. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ScriptFile } from '@ship/demo-model';
import { SessionId } from '@ship/protocol';
import { commit, git } from '../../../../../scripts/testing/git.ts';
import type { RunResult } from '../../../src/result/result.ts';
import { kill, launchShip } from '../../launch.ts';
import { runConcurrently } from '../concurrency.ts';
import { MODEL, ShipHost } from '../ship-host.ts';
import { TASKS, type Task } from './catalogue.ts';
import { removeFolder } from '../../../../../scripts/testing/remove-folder.ts';

const execute = promisify(execFile);
const RUN_MS = 8 * 60_000;
const TESTS_MS = 60_000;
/** Concurrency: the number of cores of a small machine. */
const CONCURRENCY = 2;

export interface TaskRun {
  task: string;
  language: Task['language'];
  kind: Task['kind'];
  totalMs: number;
  pullRequest: number | null;
  costUsd: number | null;
  faults: string[];
}

export interface TasksOutcome {
  runs: TaskRun[];
  leftBehind: string[];
}

const TEST_COMMAND: Record<Task['language'], string[]> = {
  javascript: ['npm', 'test'],
  typescript: ['npm', 'test'],
  python: ['python3', '-m', 'unittest'],
};

export async function runTasks(
  say: (text: string) => void = () => undefined,
  tasks: readonly Task[] = TASKS,
): Promise<TasksOutcome> {
  const host = await ShipHost.open({ rules: tasks.map(ruleOf) });
  const runs: TaskRun[] = [];
  let leftBehind: string[] = [];
  try {
    await runConcurrently(tasks, CONCURRENCY, async (task) => {
      const run = await perform(host, task);
      runs.push(run);
      say(lineOf(run));
    });
    leftBehind = await host.untilEmpty();
  } finally {
    leftBehind = [...leftBehind, ...(await host.close())];
  }
  return { runs, leftBehind };
}

const filePath = (path: string): string => `{{folder}}/${path}`;

/** Reads, changes, tests and summarizes, as a model would. */
function ruleOf(task: Task): ScriptFile['rules'][number] {
  const first = Object.keys(task.files)[0] ?? 'README.md';
  const changes = [
    ...task.edits.map(([path, oldString, newString]) => ({
      tool: 'edit',
      input: { filePath: filePath(path), oldString, newString },
    })),
    ...Object.entries(task.writes).map(([path, content]) => ({
      tool: 'write',
      input: { filePath: filePath(path), content },
    })),
  ];
  return {
    name: task.name,
    when: { prompt: `Task ${task.name}:` },
    steps: [
      {
        say: 'Let me read the code first.',
        calls: [
          ...task.edits.map(([path]) => ({ tool: 'read', input: { filePath: filePath(path) } })),
          { tool: 'bash', input: { command: `ls; cat ${first}` } },
        ],
      },
      { calls: changes },
      { calls: [{ tool: 'bash', input: { command: TEST_COMMAND[task.language].join(' ') } }] },
      { say: 'It is done, and the tests pass.' },
    ],
  };
}

async function perform(host: ShipHost, task: Task): Promise<TaskRun> {
  const repository = host.repository(task.name);
  await mkdir(repository, { recursive: true });
  await git(repository, 'init', '-q', '-b', 'main');
  await commit(repository, task.files, 'Begin');
  const startedAtMs = Date.now();
  const { result, faults } = await shipRun(host, repository, task.prompt);
  const totalMs = Date.now() - startedAtMs;
  faults.push(...(await judge(repository, task, result)));
  if (result !== undefined) await host.client.deleteSession(SessionId.parse(result.sessionId));
  const { name, language, kind } = task;
  const pullRequest = result?.pullRequest?.number ?? null;
  return {
    task: name,
    language,
    kind,
    totalMs,
    pullRequest,
    costUsd: result?.cost.usd ?? null,
    faults,
  };
}

async function shipRun(host: ShipHost, repository: string, prompt: string) {
  const options = ['--wait', '--json', '--repo', repository, '--model', MODEL, '--data', host.data];
  const running = launchShip(['run', ...options, prompt]);
  const late = setTimeout(() => void kill(running), RUN_MS);
  const code = await running.exited;
  clearTimeout(late);
  const faults = code === 0 ? [] : [`ship run ended with ${code}: ${running.output().slice(-600)}`];
  try {
    const line = running.output().trimEnd().split('\n').at(-1) ?? '';
    return { result: JSON.parse(line) as RunResult, faults };
  } catch {
    return { result: undefined, faults: [...faults, 'its last line is no JSON'] };
  }
}

async function judge(
  repository: string,
  task: Task,
  result: RunResult | undefined,
): Promise<string[]> {
  const faults: string[] = [];
  if (result?.status !== 'done') faults.push(`it ended ${result?.status}`);
  if (result?.pullRequest === null) faults.push('it has no pull request');
  if (result?.commits.length !== 1) faults.push(`it has ${result?.commits.length} commits`);
  if ((await testsPass(repository, 'main', task)) !== task.passesBefore)
    faults.push('the task itself is wrong: its tests are not as it says before the work');
  const branch = result?.branch ?? null;
  if (branch === null || !(await testsPass(repository, branch, task)))
    faults.push('its tests do not pass');
  // A session only adds its branch to the user's folder and changes nothing else.
  const status = await git(repository, 'status', '--porcelain');
  if (status !== '') faults.push(`the user's folder was changed: ${status}`);
  return faults;
}

/** Runs the tests in a separate clone, as a reviewer would. */
async function testsPass(repository: string, branch: string, task: Task): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'ship-task-'));
  try {
    await git(folder, 'clone', '-q', '-b', branch, repository, 'clone');
    const [program = '', ...args] = TEST_COMMAND[task.language];
    const cwd = join(folder, 'clone');
    await execute(program, args, { cwd, timeout: TESTS_MS });
    return true;
  } catch {
    return false;
  } finally {
    removeFolder(folder);
  }
}

function lineOf({ task, language, kind, totalMs, pullRequest, faults }: TaskRun): string {
  const line = `${faults.length === 0 ? '✓' : '✗'} ${task} (${language}, ${kind}): pull request ${pullRequest}, ${totalMs} ms`;
  return [line, ...faults.map((fault) => `    ${fault}`)].join('\n');
}
