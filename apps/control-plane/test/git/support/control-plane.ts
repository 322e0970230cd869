/** Runs the built Worker in workerd, as `ship up` does. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '../../../../../scripts/testing/free-port.ts';
import { type Holder, holderAt, startNominalSandboxes } from './bearer.ts';
import { CONTROL_FD, type LaunchBindings, launchCommand } from '../../../launch.ts';

export const LOCAL_TOKEN = 'local-token-of-a-test';
export const SECRET = '0123456789abcdef'.repeat(4);

export interface RunningControlPlane {
  url: string;
  pid: number;
  log: string[];
  /** Creates a session with a sandbox that may use the gateways. Works with the fake sandbox service only. */
  holder(): Promise<Holder>;
  stop(): Promise<void>;
}

export async function startControlPlane(
  folder: string,
  forge: { apiUrl: string; gitUrl: string; token: string },
  { port: wanted, bindings = {} }: { port?: number; bindings?: Partial<LaunchBindings> } = {},
): Promise<RunningControlPlane> {
  const port = wanted ?? (await freePort());
  const nominal = await startNominalSandboxes();
  const objectsFolder = join(folder, 'objects');
  const pageFolder = join(folder, 'page');
  const artifactsFolder = join(folder, 'artifacts');
  const folders = [objectsFolder, pageFolder, artifactsFolder];
  await Promise.all(folders.map((one) => mkdir(one, { recursive: true })));
  const launch = launchCommand({
    port,
    ipv6: false,
    objectsFolder,
    pageFolder,
    hostSocket: 'host.sock',
    artifactsFolder,
    bindings: {
      LOCAL_TOKEN,
      SECRETS_KEYS: SECRET,
      GATEWAY_SECRET: SECRET,
      FORGE_API_URL: forge.apiUrl,
      FORGE_GIT_URL: forge.gitUrl,
      FORGE_TOKEN: forge.token,
      ...nominal.bindings,
      ...bindings,
    },
  });
  const child = spawn(launch.command, launch.args, {
    cwd: folder,
    env: { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR, ...launch.env },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const log: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    if (stream !== null) createInterface({ input: stream }).on('line', (line) => log.push(line));
  await listening(child, log);
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    log,
    holder: () => holderAt(`http://127.0.0.1:${port}`, LOCAL_TOKEN),
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      nominal.close();
    },
  };
}

async function listening(child: ChildProcess, log: string[]): Promise<void> {
  const control = child.stdio[CONTROL_FD];
  if (!(control instanceof Object) || !('readable' in control)) throw new Error('no control pipe');
  const lines = createInterface({ input: control as NodeJS.ReadableStream });
  const ended = once(child, 'exit').then(() => {
    throw new Error(`workerd ended: ${log.join('\n')}`);
  });
  const ready = (async () => {
    for await (const line of lines) if (line.includes('"listen"') && line.includes('ipv4')) return;
  })();
  await Promise.race([ready, ended]);
  ended.catch(() => undefined);
}
