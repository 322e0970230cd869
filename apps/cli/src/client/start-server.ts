import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Failure } from '../failure.ts';
import { isFree } from '../host/port.ts';
import { DEFAULT_PORT } from '../verbs/up.ts';
import { type FoundServer, readToken, serverAt } from './find-server.ts';

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url));
const SETPRIV = '/usr/bin/setpriv';

export interface StartingServer {
  ready: Promise<FoundServer>;
  stop(): Promise<void>;
}

/** Runs `ship up` for one command. It ends with this process, even after a kill. Returns once its process has started. */
export async function startServer(
  dataFolder: string,
  onProgress: (line: string) => void,
): Promise<StartingServer> {
  const port = (await isFree(DEFAULT_PORT)) ? DEFAULT_PORT : await anyPort();
  const args = [MAIN, 'up', '--no-open', '--port', String(port), '--data', dataFolder];
  // A separate process group: Ctrl-C must reach this command only and not stop the session's server.
  const options: SpawnOptions = { stdio: ['ignore', 'pipe', 'pipe'], detached: true };
  const child = canBind()
    ? spawn(SETPRIV, ['--pdeathsig', 'TERM', '--', process.execPath, ...args], options)
    : spawn(process.execPath, args, options);
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
  return {
    ready: untilReady(child, onProgress).then((url) => serverAt(url, readToken(dataFolder))),
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

async function untilReady(
  child: ChildProcess,
  onProgress: (line: string) => void,
): Promise<string> {
  const errors: string[] = [];
  let isReady = false;
  return new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue;
      createInterface({ input: stream }).on('line', (line) => {
        const url = /^ship: ready (http:\S+)$/.exec(line)?.[1];
        // Later lines are for a person who started the server.
        if (isReady) return;
        if (url !== undefined) {
          isReady = true;
          return resolve(new URL(url).origin);
        }
        if (stream === child.stderr) errors.push(line);
        onProgress(line.replace(/^ship: /, ''));
      });
    }
    child.once('error', reject);
    child.once('close', () => reject(didNotStart(errors)));
  });
}

/** The error of `ship up`: its message, followed by the remedy. */
function didNotStart(errors: string[]): Failure {
  const [message = 'ship: it exited without a message', ...remedy] = errors;
  return new Failure(
    `Ship did not start: ${message.replace(/^ship: /, '')}`,
    remedy.map((line) => line.trim()).join('\n') || 'ship doctor checks this machine.',
  );
}

function canBind(): boolean {
  try {
    accessSync(SETPRIV, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function anyPort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        address === null || typeof address === 'string'
          ? reject(new Error('no port'))
          : resolve(address.port),
      );
    });
  });
}
