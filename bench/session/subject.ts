/** The two compared servers behind one interface: where to append, where to watch, what it costs. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Agent, request } from 'node:http';
import { LOCAL_TOKEN, openControlPlane } from '../../apps/control-plane/test/harness.ts';

export interface Subject {
  append(text: string): Promise<void>;
  /** From the newest event on. */
  socketUrl(): Promise<string>;
  headers: Record<string, string>;
  cpuMs(): number;
  close(): Promise<void>;
}

let requests = 0;
const agent = new Agent({ keepAlive: true, maxSockets: 16 });

function post(url: string, method: string, headers: Record<string, string>, text: string) {
  requests += 1;
  const body = JSON.stringify({ requestId: `bench-${process.pid}-${requests}`, text });
  return new Promise<void>((resolve, reject) => {
    const sending = request(url, {
      method,
      agent,
      headers: { ...headers, 'content-type': 'application/json', 'content-length': body.length },
    });
    sending.on('error', reject);
    sending.on('response', (response) => {
      response.resume().on('end', () => {
        if (response.statusCode === 200) resolve();
        else reject(new Error(`append: ${response.statusCode}`));
      });
    });
    sending.end(body);
  });
}

/** Edits a waiting prompt repeatedly: one event each, and nothing that the lists would show. */
export async function openShip(): Promise<Subject> {
  const { plane, api, close } = await openControlPlane();
  const { sessionId } = await api.create();
  const { promptId } = await api.prompt(sessionId, 'edited over and over');
  const headers = { authorization: `Bearer ${LOCAL_TOKEN}` };
  const url = `${plane.url}/api/sessions/${sessionId}/prompts/${promptId}`;
  return {
    append: (text) => post(url, 'PATCH', headers, text),
    async socketUrl() {
      const { seq } = (await api.view(sessionId)).state;
      return `${plane.url.replace('http', 'ws')}/api/sessions/${sessionId}/socket?after=${seq}`;
    },
    headers,
    cpuMs: () => plane.cpuMs(),
    close,
  };
}

export async function openBaseline(): Promise<Subject> {
  const folder = mkdtempSync(join(tmpdir(), 'ship-bench-'));
  const script = fileURLToPath(new URL('baseline.ts', import.meta.url));
  const child: ChildProcess = spawn(
    process.execPath,
    ['--no-warnings', script, join(folder, 'log.sqlite')],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  if (child.stdout === null) throw new Error('no output');
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const port = Number(line.toString());
  return {
    append: (text) => post(`http://127.0.0.1:${port}/`, 'POST', {}, text),
    socketUrl: async () => `ws://127.0.0.1:${port}/`,
    headers: {},
    cpuMs: () => processCpuMs(child.pid ?? 0),
    async close() {
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      await gone;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function processCpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
