import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../../scripts/testing/free-port.ts';

const { default: workerd } = createRequire(import.meta.url)('workerd') as { default: string };
const MIB = 1024 * 1024;

const CONFIG = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .main), (name = "artifacts", disk = (writable = true))],
  sockets = [(name = "http", http = (), service = "main")],
);
const main :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "2026-09-01",
  bindings = [(name = "ARTIFACTS", service = "artifacts")],
);`;

/** The artifact store in a separate workerd, so that the test can kill the process. */
describe('artifacts across crashes', { timeout: 120_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'ship-artifacts-'));
  const artifacts = join(folder, 'artifacts');
  let running: ChildProcess | undefined;
  let port = 0;

  beforeAll(async () => {
    mkdirSync(artifacts);
    writeFileSync(join(folder, 'config.capnp'), CONFIG);
    await build({
      entryPoints: [fileURLToPath(new URL('../src/testing/artifact-worker.ts', import.meta.url))],
      outfile: join(folder, 'worker.js'),
      bundle: true,
      format: 'esm',
      target: 'es2024',
      conditions: ['workerd', 'worker', 'browser'],
    });
  }, 60_000);
  afterEach(kill);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function start(): Promise<void> {
    port = await freePort();
    running = spawn(
      workerd,
      [
        'serve',
        join(folder, 'config.capnp'),
        `--socket-addr=http=127.0.0.1:${port}`,
        `--directory-path=artifacts=${artifacts}`,
      ],
      { stdio: 'ignore' },
    );
    for (;;) {
      if (running.exitCode !== null) throw new Error('workerd ended');
      const answer = await fetch(`http://127.0.0.1:${port}/none`).catch(() => undefined);
      await answer?.body?.cancel();
      if (answer?.status === 404) return;
      await sleep(20);
    }
  }

  async function kill(): Promise<void> {
    const child = running;
    running = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
  }

  /** Sends `count` MiB, each filled with its number; resolves with the status, or undefined when the server died. */
  function put(key: string, count: number, fill: number, onSent?: (sent: number) => void) {
    return new Promise<number | undefined>((resolve) => {
      const sending = request({ port, host: '127.0.0.1', method: 'PUT', path: `/${key}` });
      sending.on('response', (answer) =>
        answer.resume().on('end', () => resolve(answer.statusCode)),
      );
      sending.on('error', () => resolve(undefined));
      let sent = 0;
      const more = () => {
        if (sent === count) return void sending.end();
        sending.write(Buffer.alloc(MIB, fill), () => {
          sent += 1;
          onSent?.(sent);
          more();
        });
      };
      more();
    });
  }

  async function get(key: string) {
    const answer = await fetch(`http://127.0.0.1:${port}/${key}`);
    const body = Buffer.from(await answer.arrayBuffer());
    return answer.status === 200 ? { size: Number(answer.headers.get('x-size')), body } : undefined;
  }

  it('[AT2] kill -9 during a write leaves the previous artifact, or none', async () => {
    await start();
    expect(await put('kept', 2, 1)).toBe(200);
    for (const killAfter of [1, 3, 6]) {
      const dying = put('kept', 8, 2, (sent) =>
        sent === killAfter ? running?.kill('SIGKILL') : null,
      );
      const fresh = put(`fresh-${killAfter}`, 8, 3);
      await Promise.all([dying, fresh]);
      await kill();
      await start();
      const kept = await get('kept');
      // Either version, but complete.
      expect([2 * MIB, 8 * MIB]).toContain(kept?.size);
      expect(kept?.body.length).toBe(kept?.size);
      expect(kept?.body.every((byte) => byte === (kept.size === 2 * MIB ? 1 : 2))).toBe(true);
      const other = await get(`fresh-${killAfter}`);
      if (other !== undefined) expect(other.body.length).toBe(8 * MIB);
    }
  });

  it('[AT5] a large artifact is written and read with constant memory', async () => {
    await start();
    // The first artifact grows the heap to its usual size; one three times as large must not need more.
    await through('large', 64);
    const beforeKb = peakMemoryKb();
    await through('larger', 192);
    expect(peakMemoryKb() - beforeKb).toBeLessThan(96 * 1024);
  });

  async function through(key: string, count: number): Promise<void> {
    expect(await put(key, count, 8)).toBe(200);
    const answer = await fetch(`http://127.0.0.1:${port}/${key}`);
    let size = 0;
    for await (const chunk of answer.body ?? []) size += chunk.length;
    expect(size).toBe(count * MIB);
  }

  function peakMemoryKb(): number {
    const status = readFileSync(`/proc/${running?.pid}/status`, 'utf8');
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]);
  }
});
