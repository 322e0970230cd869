/** One function per figure; all of them use the isolation back end directly, without the API. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IsolationBackend } from '../../apps/sandbox-server/src/isolation/backend.ts';
import { processTree } from '../../apps/sandbox-server/src/isolation/bubblewrap/procfs.ts';
import { runInside } from '../../apps/sandbox-server/src/isolation/run-inside.ts';
import { repeat, timed, type Spread } from '../statistics.ts';

export interface BackendBench {
  backend: IsolationBackend;
  folder: string;
  layer: string;
}

const LIMITS = { memoryMb: 2048, cpuCount: 2, processes: 512, diskMb: 4096 };
const BARE = [
  '--ro-bind',
  '/',
  '/',
  '--proc',
  '/proc',
  '--dev',
  '/dev',
  '--unshare-all',
  '/bin/true',
];

export async function start(bench: BackendBench, id: string, layer = bench.layer): Promise<void> {
  const egress = join(bench.folder, 'egress', id);
  mkdirSync(egress, { recursive: true });
  const egressSocket = join(egress, 'egress.sock');
  await bench.backend.start({
    id,
    layer,
    limits: LIMITS,
    env: {},
    accessToken: undefined,
    egressSocket,
  });
}

export const run = (bench: BackendBench, id: string, script: string) =>
  runInside(bench.backend, id, { command: ['/bin/bash', '-l', '-c', script] });

/** The baseline in the same run on the same machine: nothing can be faster. */
export function bareBwrap(times: number): Promise<Spread> {
  return repeat(times, () =>
    timed(async () => void (await once(spawn('bwrap', BARE, { stdio: 'ignore' }), 'exit'))),
  );
}

/** Alternates with the baseline, so that both see the same load. */
export async function coldStart(
  bench: BackendBench,
  times: number,
): Promise<{ bare: Spread; cold: Spread; ratio: number }> {
  const bare: number[] = [];
  const cold = await repeat(times, async () => {
    bare.push((await bareBwrap(1)).p50);
    const ms = await timed(async () => {
      await start(bench, 'cold');
      await run(bench, 'cold', 'echo ready');
    });
    await bench.backend.destroy('cold');
    return ms;
  });
  const baseline = await repeat(bare.length, async () => bare.pop() ?? 0);
  return { bare: baseline, cold, ratio: Math.round((cold.p50 / baseline.p50) * 10) / 10 };
}

export function exec(bench: BackendBench, id: string, times: number): Promise<Spread> {
  return repeat(times, () => timed(() => run(bench, id, 'true')));
}

export async function pauseResume(
  bench: BackendBench,
  id: string,
  times: number,
): Promise<{ pause: Spread; resume: Spread }> {
  const resumes: number[] = [];
  const pause = await repeat(times, async () => {
    const ms = await timed(() => bench.backend.freeze(id));
    resumes.push(
      await timed(async () => {
        await bench.backend.thaw(id);
        const socket = await bench.backend.open(id);
        socket.write('GET /health HTTP/1.1\r\nHost: envd\r\nConnection: close\r\n\r\n');
        await once(socket, 'data');
        socket.destroy();
      }),
    );
    return ms;
  });
  return { pause, resume: await repeat(resumes.length, async () => resumes.pop() ?? 0) };
}

/** Proportional set size of everything that one idle sandbox runs. */
export function idleMegabytes(bench: BackendBench, id: string): number {
  const state = JSON.parse(
    readFileSync(join(bench.folder, 'sandboxes', id, 'state.json'), 'utf8'),
  ) as {
    run: { monitor: { pid: number } };
  };
  const kilobytes = processTree(state.run.monitor.pid).reduce((sum, pid) => {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    return sum + Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0);
  }, 0);
  return Math.round(kilobytes / 102.4) / 10;
}

/** Captures a running sandbox with a workspace of this size as a layer, and starts another sandbox from it. */
export async function fork(bench: BackendBench, megabytes: number, files: number, times: number) {
  await start(bench, 'workspace');
  const each = Math.round((megabytes * 1024) / files);
  const script = `mkdir -p ~/w; for i in $(seq ${files}); do head -c ${each}K /dev/urandom > ~/w/$i; done`;
  await run(bench, 'workspace', script);
  let round = 0;
  const captures: number[] = [];
  const whole = await repeat(times, async () => {
    round += 1;
    const layer = `fork-${files}-${round}`;
    const ms = await timed(async () => {
      captures.push(await timed(() => bench.backend.capture('workspace', layer)));
      await start(bench, 'forked', layer);
    });
    await bench.backend.destroy('forked');
    await bench.backend.removeLayer(layer);
    return ms;
  });
  await bench.backend.destroy('workspace');
  return {
    megabytes,
    files,
    whole,
    capture: await repeat(captures.length, async () => captures.pop() ?? 0),
  };
}
