import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { atEndOfFile } from '../../../../scripts/testing/end-of-file.ts';

export interface ChildForge {
  apiUrl: string;
  gitUrl: string;
  /** kill -9 of the forge and of every git process that it started. */
  kill(): Promise<void>;
}

export async function childForge(root: string): Promise<ChildForge> {
  const script = fileURLToPath(new URL('serve.ts', import.meta.url));
  const child = spawn(process.execPath, ['--no-warnings', script, root], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // A separate process group: the signal also reaches git's processes, as in a power cut.
    detached: true,
  });
  const kill = async () => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    process.kill(-child.pid, 'SIGKILL');
    await exited;
  };
  atEndOfFile(kill);
  const urls = JSON.parse(await firstLine(child)) as { apiUrl: string; gitUrl: string };
  return { ...urls, kill };
}

async function firstLine(child: ChildProcess): Promise<string> {
  let text = '';
  for await (const chunk of child.stdout ?? []) {
    text += String(chunk);
    if (text.includes('\n')) return text.split('\n', 1)[0] ?? '';
  }
  throw new Error('the forge ended before it was ready');
}
