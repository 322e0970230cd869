/** Runs one command in a sandbox through envd, like any client: for builds, probes and benchmarks. */
import { request, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { decodeFrames, encodeFrame } from '../envd/connect/envelope.ts';
import type { IsolationBackend } from './backend.ts';

export interface InsideCommand {
  command: readonly [string, ...string[]];
  user?: 'user' | 'root';
  cwd?: string;
  env?: Record<string, string>;
  accessToken?: string;
  timeoutMs?: number;
  /** Aborts the call; the command ends with its sandbox. */
  signal?: AbortSignal | undefined;
}

export interface InsideResult {
  exitCode: number;
  /** Both streams interleaved; only the tail if there was much output. */
  output: string;
}

const MAX_OUTPUT_CHARACTERS = 1024 * 1024;
const MAX_FRAME_BYTES = 32 * 1024 * 1024;

interface StartResponse {
  event?: {
    data?: { stdout?: string; stderr?: string };
    end?: { exitCode?: number };
  };
  error?: { message?: string };
}

export async function runInside(
  backend: IsolationBackend,
  id: string,
  inside: InsideCommand,
): Promise<InsideResult> {
  const [cmd, ...args] = inside.command;
  const process = {
    cmd,
    args,
    envs: inside.env ?? {},
    ...(inside.cwd === undefined ? {} : { cwd: inside.cwd }),
  };
  const socket = await backend.open(id);
  const abort = (): void => void socket.destroy(new Error('aborted'));
  inside.signal?.addEventListener('abort', abort);
  try {
    inside.signal?.throwIfAborted();
    let output = '';
    for await (const message of stream(socket, inside, encodeFrame({ process, stdin: false }))) {
      const { event } = message as StartResponse;
      const data = event?.data?.stdout ?? event?.data?.stderr;
      if (data !== undefined)
        output = (output + Buffer.from(data, 'base64').toString('utf8')).slice(
          -MAX_OUTPUT_CHARACTERS,
        );
      if (event?.end !== undefined) return { exitCode: event.end.exitCode ?? 0, output };
    }
    throw new Error(`the sandbox ended before its command did: ${output.slice(-500)}`);
  } finally {
    inside.signal?.removeEventListener('abort', abort);
    socket.destroy();
  }
}

async function* stream(socket: Duplex, inside: InsideCommand, body: Buffer): AsyncGenerator {
  const call = request({
    createConnection: () => socket,
    method: 'POST',
    path: '/process.Process/Start',
    headers: {
      'content-type': 'application/connect+json',
      'content-length': body.length,
      'connect-timeout-ms': String(inside.timeoutMs ?? 60_000),
      authorization: `Basic ${Buffer.from(`${inside.user ?? 'user'}:`).toString('base64')}`,
      ...(inside.accessToken === undefined ? {} : { 'x-access-token': inside.accessToken }),
    },
  });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    call.once('response', resolve);
    call.once('error', reject);
  });
  call.end(body);
  const response = await answered;
  if (response.statusCode !== 200)
    throw new Error(`the supervisor refused the command: HTTP ${response.statusCode}`);
  yield* decodeFrames(response, MAX_FRAME_BYTES);
}
