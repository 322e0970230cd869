import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';

const CONTROL_FD = 3;
/** The program itself: the script in `bin/` would not pass on the control descriptor. */
const { default: workerdProgram } = createRequire(import.meta.url)('workerd') as {
  default: string;
};
const CONFIG = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "internet", network = (allow = ["public", "private"], tlsOptions = (trustBrowserCas = true))),
  ],
  sockets = [ (name = "http", address = "127.0.0.1:0", http = (), service = "main") ],
);
const worker :Workerd.Worker = (
  modules = [ (name = "worker.js", esModule = embed "worker.js") ],
  compatibilityDate = "2026-09-01",
);
`;

export interface WorkerdProcess {
  url: string;
  stop(): Promise<void>;
}

/** workerd with the worker of this folder, on any free loopback port. */
export async function startWorkerd(): Promise<WorkerdProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'ship-workerd-'));
  await build({
    entryPoints: [fileURLToPath(new URL('worker.ts', import.meta.url))],
    outfile: join(folder, 'worker.js'),
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'es2022',
    conditions: ['workerd', 'worker', 'import'],
    mainFields: ['module', 'main'],
    external: ['node:*', 'cloudflare:*'],
    alias: nodeBuiltins(),
    logLevel: 'error',
  });
  await writeFile(join(folder, 'config.capnp'), CONFIG);
  const child = spawn(
    workerdProgram,
    ['serve', join(folder, 'config.capnp'), `--control-fd=${CONTROL_FD}`],
    {
      stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
    },
  );
  const port = await listeningPort(child.stdio[CONTROL_FD] as Readable);
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      const exited = once(child, 'exit');
      // SIGTERM waits for open connections; the test has none that matter.
      child.kill('SIGKILL');
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The SDK imports some Node modules without the prefix that workerd requires. */
function nodeBuiltins(): Record<string, string> {
  const names = [
    'buffer',
    'crypto',
    'events',
    'fs',
    'os',
    'path',
    'process',
    'stream',
    'url',
    'util',
  ];
  return Object.fromEntries(names.map((name) => [name, `node:${name}`]));
}

async function listeningPort(control: Readable): Promise<number> {
  let text = '';
  for await (const chunk of control) {
    text += String(chunk);
    const port = /"event":"listen"[^}]*"port":(\d+)/.exec(text)?.[1];
    if (port !== undefined) return Number(port);
  }
  throw new Error(`workerd ended before it listened: ${text}`);
}
