/** A newcomer's wait: `npm start` in a new clone with an empty npm cache, and again with nothing changed. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Report, goal, median, round } from './report.ts';
import { freePort } from '../scripts/testing/free-port.ts';
import { removeFolder } from '../scripts/testing/remove-folder.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const WARM_RUNS = 5;

export async function benchStart(): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), 'ship-bench-'));
  try {
    const clone = join(folder, 'clone');
    execFileSync('git', ['clone', '--quiet', ROOT, clone]);
    const cold = await start(clone, folder);
    const coldMs = cold.readyMs;
    await cold.stop();

    const warmMs: number[] = [];
    let memory: Record<string, number> = {};
    for (let i = 0; i < WARM_RUNS; i++) {
      const warm = await start(clone, folder);
      warmMs.push(warm.readyMs);
      memory = memoryMb(warm.pid);
      await warm.stop();
    }
    const nodeMs = median(Array.from({ length: WARM_RUNS }, timeOfEmptyNode));
    return {
      goals: [goal('second start with nothing changed (ms)', round(median(warmMs)), 3_000)],
      coldStartMs: round(coldMs),
      warmStartMs: round(median(warmMs)),
      baselineEmptyNodeMs: round(nodeMs),
      warmStartPerEmptyNode: round(median(warmMs) / nodeMs),
      ...memory,
    };
  } finally {
    removeFolder(folder);
  }
}

async function start(clone: string, folder: string) {
  const startedAtMs = performance.now();
  const args = [
    'start',
    '--',
    '--no-open',
    '--port',
    String(await freePort()),
    '--data',
    join(folder, 'data'),
  ];
  // A separate process group, so that all of it can be stopped.
  const npm = spawn('npm', args, {
    cwd: clone,
    env: {
      ...process.env,
      PATH: pathOfTheUser(),
      npm_config_cache: join(folder, 'npm-cache'),
      INIT_CWD: clone,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  await untilReady(npm);
  const readyMs = performance.now() - startedAtMs;
  const { pid } = JSON.parse(readFileSync(join(folder, 'data/run/host.json'), 'utf8')) as {
    pid: number;
  };
  const stop = async () => {
    const gone = new Promise((resolve) => npm.once('exit', resolve));
    process.kill(pid, 'SIGTERM');
    await gone;
  };
  return { readyMs, pid, stop };
}

/** Without the Node 24 that set-up put first for this benchmark: a newcomer's clone has to download it. */
function pathOfTheUser(): string {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.filter((folder) => !folder.startsWith(ROOT)).join(delimiter);
}

function untilReady(npm: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    npm.stdout?.on('data', (chunk: Buffer) => {
      if (chunk.toString().includes('ship: ready')) resolve();
    });
    npm.once('exit', (code) => reject(new Error(`npm start ended with code ${code}`)));
  });
}

/** Proportional set size: divides shared memory among its users, so that the sum is correct. */
function memoryMb(hostPid: number): Record<string, number> {
  const children = readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return (
        Number(
          readFileSync(`/proc/${name}/stat`, 'utf8')
            .replace(/^.*\) \S /s, '')
            .split(' ')[0],
        ) === hostPid
      );
    } catch {
      return false;
    }
  });
  const named = children.map((pid) => [
    `memoryMb ${readFileSync(`/proc/${pid}/comm`, 'utf8').trim()}`,
    pssMb(Number(pid)),
  ]);
  return {
    'memoryMb host': pssMb(hostPid),
    ...(Object.fromEntries(named) as Record<string, number>),
  };
}

function pssMb(pid: number): number {
  const kilobytes = /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1];
  return round(Number(kilobytes) / 1024);
}

function timeOfEmptyNode(): number {
  const startedAtMs = performance.now();
  spawnSync(process.execPath, ['-e', '0']);
  return performance.now() - startedAtMs;
}
