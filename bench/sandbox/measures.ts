import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';

import { Sandbox } from 'e2b';

import type { BenchServer } from './server.ts';
import { median } from '../report.ts';
import { repeat, timed, type Spread } from '../statistics.ts';

const MEGABYTE = 2 ** 20;
const SANDBOX_TIMEOUT_MS = 600_000;

const BARE = ['--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev', '--unshare-all'];

/** The baseline in the same run on the same machine: nothing can be faster. */
export function bareBwrapOnce(): Promise<number> {
  return timed(async () => {
    const child = spawn('bwrap', [...BARE, '/bin/true'], { stdio: 'ignore' });
    const [code] = await once(child, 'exit');
    if (code !== 0) throw new Error(`bwrap ended with ${String(code)}`);
  });
}

const create = (server: BenchServer): Promise<Sandbox> =>
  Sandbox.create('base', { ...server.options, timeoutMs: SANDBOX_TIMEOUT_MS });

async function waitForPool(server: BenchServer, size: number): Promise<void> {
  for (let attempt = 0; attempt < 1_000; attempt += 1) {
    const pool = await server.api<{ base: { ready: number } }>('/ship/pool');
    if (pool.base.ready >= size) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('the pool did not fill');
}

/** From calling `create` to the first output of the first command. */
export async function createToOutputOnce(server: BenchServer): Promise<number> {
  let sandbox: Sandbox | undefined;
  const ms = await timed(async () => {
    sandbox = await create(server);
    const { stdout } = await sandbox.commands.run('echo ready');
    if (stdout !== 'ready\n') throw new Error(`unexpected output ${stdout}`);
  });
  await sandbox?.kill();
  return ms;
}

/** The first rounds also run code of the SDK and the server for the first time. */
export const WARM_UP_ROUNDS = 3;
/** A pooled sandbox has usually been ready for a while. */
const POOL_REST_MS = 300;

export async function createFromPool(
  server: BenchServer,
  times: number,
  poolSize: number,
): Promise<Spread> {
  const claimed = async () => {
    await waitForPool(server, poolSize);
    await new Promise((resolve) => setTimeout(resolve, POOL_REST_MS));
    return createToOutputOnce(server);
  };
  for (let index = 0; index < WARM_UP_ROUNDS; index += 1) await claimed();
  return repeat(times, claimed);
}

export async function runTrue(server: BenchServer, times: number): Promise<Spread> {
  const sandbox = await create(server);
  for (let index = 0; index < 10; index += 1) await sandbox.commands.run('true');
  const result = await repeat(times, () => timed(() => sandbox.commands.run('true')));
  await sandbox.kill();
  return result;
}

export async function pauseAndResume(
  server: BenchServer,
  times: number,
): Promise<{ pause: Spread; resume: Spread }> {
  const sandbox = await create(server);
  await sandbox.commands.run('python3 -m http.server 8000', { background: true, timeoutMs: 0 });
  const headers = { 'E2b-Sandbox-Id': sandbox.sandboxId, 'E2b-Sandbox-Port': '8000' };
  const get = async (): Promise<number> => {
    const response = await fetch(server.options.sandboxUrl, { headers });
    await response.arrayBuffer();
    return response.status;
  };
  for (let attempt = 0; attempt < 200 && (await get()) !== 200; attempt += 1) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const pauses: number[] = [];
  const resume = await repeat(times, async () => {
    pauses.push(await timed(() => sandbox.pause()));
    return timed(async () => {
      await sandbox.connect();
      const status = await get();
      if (status !== 200) throw new Error(`no answer after the resume: ${status}`);
    });
  });
  await sandbox.kill();
  const pause = await repeat(pauses.length, async (index) => pauses[index] ?? 0);
  return { pause, resume };
}

export interface Transfer {
  uploadMbPerSecond: number;
  downloadMbPerSecond: number;
  serverGrowthMb: number;
}

function zeros(megabytes: number): ReadableStream<Uint8Array> {
  let left = megabytes;
  const chunk = new Uint8Array(MEGABYTE);
  return new ReadableStream({
    pull(controller) {
      if (left === 0) controller.close();
      else controller.enqueue(chunk);
      left -= 1;
    },
  });
}

/** The median of several, like the other figures: the first one also runs code for the first time. */
export async function transfer(
  server: BenchServer,
  megabytes: number,
  times: number,
): Promise<Transfer> {
  const runs: Transfer[] = [];
  for (let run = 0; run < times; run += 1) runs.push(await transferOnce(server, megabytes));
  return {
    uploadMbPerSecond: median(runs.map((run) => run.uploadMbPerSecond)),
    downloadMbPerSecond: median(runs.map((run) => run.downloadMbPerSecond)),
    serverGrowthMb: Math.max(...runs.map((run) => run.serverGrowthMb)),
  };
}

async function transferOnce(server: BenchServer, megabytes: number): Promise<Transfer> {
  const sandbox = await create(server);
  const write = (size: number) => sandbox.files.write('big', zeros(size), { useOctetStream: true });
  const read = async (): Promise<void> => {
    let bytes = 0;
    for await (const chunk of await sandbox.files.read('big', { format: 'stream' }))
      bytes += chunk.length;
    if (bytes % MEGABYTE !== 0) throw new Error(`cut after ${bytes} bytes`);
  };
  await write(8);
  await read();
  const beforeMb = await server.memoryMb();
  let peakMb = beforeMb;
  const meter = setInterval(() => {
    void server.memoryMb().then((mb) => (peakMb = Math.max(peakMb, mb)));
  }, 100);
  const uploadMs = await timed(() => write(megabytes));
  const downloadMs = await timed(read);
  clearInterval(meter);
  await sandbox.kill();
  const perSecond = (ms: number): number => Math.round(megabytes / (ms / 1_000));
  return {
    uploadMbPerSecond: perSecond(uploadMs),
    downloadMbPerSecond: perSecond(downloadMs),
    serverGrowthMb: Math.round(peakMb - beforeMb),
  };
}

/** All concurrently, each with a command; every one must succeed. */
export async function manyAtOnce(
  server: BenchServer,
  count: number,
): Promise<{ count: number; succeeded: number; totalMs: number }> {
  const made: Sandbox[] = [];
  let succeeded = 0;
  const totalMs = await timed(async () => {
    await Promise.allSettled(
      Array.from({ length: count }, async (_, index) => {
        const sandbox = await create(server);
        made.push(sandbox);
        const { stdout } = await sandbox.commands.run(`echo ${index}`);
        if (stdout === `${index}\n`) succeeded += 1;
      }),
    );
  });
  await Promise.allSettled(made.map((sandbox) => sandbox.kill()));
  return { count, succeeded, totalMs: Math.round(totalMs) };
}

export async function forkWorkspace(
  server: BenchServer,
  megabytes: number,
  times: number,
): Promise<Spread> {
  const sandbox = await create(server);
  const script = `mkdir ws && for i in $(seq 100); do head -c ${(megabytes * MEGABYTE) / 100} /dev/zero > ws/$i; done`;
  await sandbox.commands.run(script, { timeoutMs: 120_000 });
  const result = await repeat(times, async () => {
    let fork: Sandbox | Error | undefined;
    const ms = await timed(async () => {
      [fork] = await sandbox.fork({ timeoutMs: SANDBOX_TIMEOUT_MS });
    });
    if (!(fork instanceof Sandbox)) throw fork ?? new Error('no fork');
    const { stdout } = await fork.commands.run('ls ws | wc -l');
    if (stdout.trim() !== '100') throw new Error(`the fork has ${stdout} files`);
    await fork.kill();
    return ms;
  });
  await sandbox.kill();
  return result;
}

/** Proportional set size of everything in the sandbox's pid namespace and of its monitor outside. */
export async function idleMemoryMb(server: BenchServer, dataDir: string): Promise<number> {
  const sandboxes = await Promise.all([create(server), create(server), create(server)]);
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const [first] = sandboxes;
  const state = join(dataDir, 'isolation', 'sandboxes', first?.sandboxId ?? '', 'state.json');
  const { run } = JSON.parse(await readFile(state, 'utf8')) as {
    run: Record<'init' | 'monitor', { pid: number }>;
  };
  const namespace = await readlink(`/proc/${run.init.pid}/ns/pid`);
  let kilobytes = 0;
  for (const pid of await readdir('/proc')) {
    const isInside =
      /^[0-9]+$/.test(pid) && (await readlink(`/proc/${pid}/ns/pid`).catch(() => '')) === namespace;
    if (!isInside && pid !== String(run.monitor.pid)) continue;
    const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
    kilobytes += Number(/^Pss:\s+(\d+) kB$/m.exec(rollup)?.[1] ?? 0);
  }
  await Promise.all(sandboxes.map((sandbox) => sandbox.kill()));
  return Math.round(kilobytes / 1_024);
}
