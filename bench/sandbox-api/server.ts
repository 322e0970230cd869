import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('serve.ts', import.meta.url));

export interface BenchServer {
  options: { apiKey: string; apiUrl: string; sandboxUrl: string };
  memoryMb(): Promise<number>;
  api<T>(path: string): Promise<T>;
  stop(): Promise<void>;
}

export async function startServer(dataDir: string, poolSize: number): Promise<BenchServer> {
  const child = spawn(process.execPath, ['--no-warnings', SCRIPT, dataDir, String(poolSize)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { apiUrl, sandboxUrl } = JSON.parse(await firstLine(child)) as Record<
    'apiUrl' | 'sandboxUrl',
    string
  >;
  const options = { apiKey: 'bench-key', apiUrl, sandboxUrl };
  return {
    options,
    async memoryMb() {
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
      return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1_024;
    },
    async api<T>(path: string): Promise<T> {
      const response = await fetch(`${apiUrl}${path}`, {
        headers: { 'x-api-key': options.apiKey },
      });
      return (await response.json()) as T;
    },
    async stop() {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes('\n')) resolve(text);
    });
    child.once('exit', (code) =>
      reject(new Error(`the server ended with ${code} before it was ready`)),
    );
  });
}
