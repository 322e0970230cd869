/** process.Process: start, follow, feed and signal processes. */
import { statSync } from 'node:fs';
import { RpcError } from '../connect/errors.ts';
import {
  asMessage,
  boolean,
  optionalBytes,
  optionalMessage,
  optionalString,
  optionalUint32,
  string,
  stringMap,
  strings,
  type Message,
} from '../connect/message.ts';
import type { MessageStream } from '../connect/message-stream.ts';
import type { Call, Service } from '../connect/server.ts';
import { callUser, type Context } from '../context.ts';
import { resolvePath } from '../paths.ts';
import type { User } from '../users.ts';
import { startWithPipes } from './pipes.ts';
import { Registry } from './registry.ts';
import { searchPath } from './search-path.ts';
import type { EndEvent, ProcessConfig, RunningProcess } from './types.ts';

/** Most commands of programs end sooner; followers of a longer one wait this long for its first output. */
const SHORT_COMMAND_MS = 6;

export function processService(context: Context): Service {
  const registry = new Registry();
  return {
    unary: {
      List: () => ({ processes: registry.list().map(describe) }),
      Update: (request) => {
        const process = registry.find(optionalMessage(request, 'process'));
        const size = terminalSize(optionalMessage(request, 'pty'));
        if (size !== undefined) process.resize(size.cols, size.rows);
        return {};
      },
      SendInput: async (request) => {
        const process = registry.find(optionalMessage(request, 'process'));
        await process.write(readInput(optionalMessage(request, 'input')));
        return {};
      },
      SendSignal: (request) => {
        registry.find(optionalMessage(request, 'process')).signal(readSignal(request));
        return {};
      },
      CloseStdin: async (request) => {
        await registry.find(optionalMessage(request, 'process')).closeStdin();
        return {};
      },
    },
    serverStream: {
      Start: async (request, call, out) => {
        const process = await start(context, request, call);
        registry.add(process);
        if (request['pty'] === undefined) out.cork(SHORT_COMMAND_MS);
        await follow(process, call, out);
      },
      Connect: async (request, call, out) => {
        const selector = optionalMessage(request, 'process');
        const exit = registry.findExit(selector);
        if (exit === undefined) return await follow(registry.find(selector), call, out);
        await out.send({ event: { start: { pid: exit.pid } } });
        await out.send({ event: { end: exit.end } });
      },
    },
    clientStream: {
      StreamInput: async (requests) => {
        let process: RunningProcess | undefined;
        for await (const request of requests) {
          const first = optionalMessage(request, 'start');
          const data = optionalMessage(request, 'data');
          if (first !== undefined) process = registry.find(optionalMessage(first, 'process'));
          if (data === undefined) continue;
          if (process === undefined)
            throw new RpcError('invalid_argument', 'the first message must name the process');
          await process.write(readInput(optionalMessage(data, 'input')));
        }
        return {};
      },
    },
  };
}

async function start(context: Context, request: Message, call: Call): Promise<RunningProcess> {
  const user = callUser(context, call.username);
  const config = readConfig(asMessage(request['process'] ?? {}, 'process'));
  const cwd = resolvePath(config.cwd ?? '', user, context.defaultFolder);
  const isFolder = statSync(cwd, { throwIfNoEntry: false })?.isDirectory() === true;
  if (!isFolder) throw new RpcError('invalid_argument', `cwd '${cwd}' does not exist`);
  const pty = optionalMessage(request, 'pty');
  const options = {
    config,
    tag: optionalString(request, 'tag'),
    cwd,
    env: environment(context, user, config),
    owner: context.config.separateRoot ? { uid: user.uid, gid: user.gid } : undefined,
  };
  const size = terminalSize(pty);
  const process =
    size === undefined
      ? await startWithPipes(options, boolean(request, 'stdin', true))
      : (await import('./pty.ts')).startOnTerminal(options, size.cols, size.rows);
  limitLife(process, call.timeoutMs);
  return process;
}

/** `Connect-Timeout-Ms` limits the process, not the call: it applies even after the client has disconnected. */
function limitLife(process: RunningProcess, timeoutMs: number): void {
  if (timeoutMs === 0) return;
  const timer = setTimeout(() => process.signal('SIGKILL'), Math.min(timeoutMs, 0x7fffffff));
  void process.ended.then(() => clearTimeout(timer));
}

function environment(context: Context, user: User, config: ProcessConfig): Record<string, string> {
  return {
    PATH: searchPath(user.home, context.config.toolPath),
    HOME: user.home,
    USER: user.name,
    LOGNAME: user.name,
    // pnpm refuses global installs into a folder unless it knows that PATH contains it.
    PNPM_HOME: `${user.home}/.local/share/pnpm`,
    ...context.env,
    ...config.envs,
  };
}

/** Streams a process until it ends or the client disconnects; the latter does not affect the process. */
async function follow(process: RunningProcess, call: Call, out: MessageStream): Promise<void> {
  let lastSentMs = Date.now();
  const send = (event: Message) => {
    lastSentMs = Date.now();
    return out.send({ event });
  };
  await send({ start: { pid: process.pid } });
  const unsubscribe = process.output.subscribe((output) => send({ data: output }));
  // Proxies and the SDK drop an idle stream after minutes, even while a silent command is running.
  const keepalive = setInterval(
    () => {
      if (Date.now() - lastSentMs >= call.keepaliveMs / 2) void send({ keepalive: {} });
    },
    Math.max(call.keepaliveMs / 2, 50),
  );
  try {
    const end = await Promise.race([process.ended, out.closed]);
    unsubscribe();
    if (end !== undefined) await send({ end: encodeEnd(end) });
  } finally {
    unsubscribe();
    clearInterval(keepalive);
  }
}

const encodeEnd = (end: EndEvent): Message => ({ ...end });

function describe(process: RunningProcess): Message {
  const { cwd, ...config } = process.config;
  return {
    config: { ...config, ...(cwd === undefined ? {} : { cwd }) },
    pid: process.pid,
    ...(process.tag === undefined ? {} : { tag: process.tag }),
  };
}

function readConfig(message: Message): ProcessConfig {
  const cmd = string(message, 'cmd');
  if (cmd === '') throw new RpcError('invalid_argument', 'process.cmd is empty');
  return {
    cmd,
    args: strings(message, 'args'),
    envs: stringMap(message, 'envs'),
    cwd: optionalString(message, 'cwd'),
  };
}

function terminalSize(pty: Message | undefined): { cols: number; rows: number } | undefined {
  if (pty === undefined) return undefined;
  const size = optionalMessage(pty, 'size') ?? {};
  return { cols: optionalUint32(size, 'cols') ?? 0, rows: optionalUint32(size, 'rows') ?? 0 };
}

function readInput(input: Message | undefined): { stdin: Buffer } | { pty: Buffer } {
  const stdin = input === undefined ? undefined : optionalBytes(input, 'stdin');
  if (stdin !== undefined) return { stdin };
  const pty = input === undefined ? undefined : optionalBytes(input, 'pty');
  if (pty !== undefined) return { pty };
  throw new RpcError('invalid_argument', 'input must carry stdin or pty');
}

function readSignal(request: Message): 'SIGTERM' | 'SIGKILL' {
  const value = request['signal'];
  if (value === 'SIGNAL_SIGTERM' || value === 15) return 'SIGTERM';
  if (value === 'SIGNAL_SIGKILL' || value === 9) return 'SIGKILL';
  throw new RpcError('unimplemented', `invalid signal: ${String(value).slice(0, 40)}`);
}
