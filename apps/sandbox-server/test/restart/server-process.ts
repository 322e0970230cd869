import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import { until } from '../conformance/target.ts';

const SCRIPT = fileURLToPath(new URL('serve.ts', import.meta.url));
const START_TIMEOUT_MS = 120_000;

export interface ServerProcess {
  options: { apiKey: string; apiUrl: string; sandboxUrl: string };
  log: () => string;
  pid: number;
  /** kill -9: no handler runs, nothing is flushed. */
  kill(): Promise<void>;
  terminate(): Promise<void>;
  api(path: string): Promise<unknown>;
  /** After a garbage collection. */
  memoryInUseMb(): Promise<number>;
}

export async function startServer(dataDir: string, poolSize = 0): Promise<ServerProcess> {
  const child = spawn(process.execPath, ['--expose-gc', SCRIPT, dataDir, String(poolSize)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const { apiUrl, sandboxUrl } = JSON.parse(await firstLine(child, () => log)) as Record<
    'apiUrl' | 'sandboxUrl',
    string
  >;
  const options = { apiKey: 'restart-key', apiUrl, sandboxUrl };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  };
  const reports = (): string[] => log.match(/memory in use: [0-9]+\n/g) ?? [];
  return {
    options,
    log: () => log,
    pid: child.pid ?? -1,
    kill: () => end('SIGKILL'),
    terminate: () => end('SIGTERM'),
    async memoryInUseMb() {
      const before = reports().length;
      child.kill('SIGUSR2');
      await until('the server reports its memory', async () => reports().length > before);
      return Number(reports().at(-1)?.slice('memory in use: '.length)) / 2 ** 20;
    },
    async api(path) {
      const response = await fetch(`${apiUrl}${path}`, {
        headers: { 'x-api-key': options.apiKey },
      });
      return response.json();
    },
  };
}

function firstLine(child: ChildProcess, log: () => string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const timer = setTimeout(
      () => reject(new Error(`the server did not start in time: ${log()}`)),
      START_TIMEOUT_MS,
    );
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (!text.includes('\n')) return;
      clearTimeout(timer);
      resolve(text);
    });
    child.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`the server ended with ${code}: ${log()}`));
    });
  });
}
