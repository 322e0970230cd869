/** Helpers for workerd tests: new sessions, commands and watchers. */
import { env, runInDurableObject } from 'cloudflare:test';
import {
  type CommandRequest,
  RequestId,
  ServerMessage,
  type SessionId,
  type SessionState,
  createId,
} from '@ship/protocol';
import { unwrap } from '../platform/result.ts';
import { type WatchRequest, writeWatchRequest } from '../session/watch-request.ts';

type Command = CommandRequest['command'];
export type SessionStub = ReturnType<typeof stubOf>;

let requests = 0;
function commandRequest(command: Command): CommandRequest {
  requests += 1;
  const requestId = RequestId.parse(`request-${requests}-${Date.now()}`);
  return { requestId, fingerprint: JSON.stringify(command).slice(0, 200), command };
}

export const prompt = (text: string) => ({ promptId: createId('prm'), text, author: 'ada' });

const stubOf = (sessionId: SessionId) => env.SESSIONS.get(env.SESSIONS.idFromName(sessionId));

/** Creates a session. No sandbox service is configured, so it gets no sandbox and its prompts stay queued. */
export async function newSession() {
  const sessionId = createId('ses');
  const stub = stubOf(sessionId);
  const created = {
    title: 'Fix it',
    repository: '/code/app',
    model: 'demo/script',
    base: null,
    branch: null,
    budgetUsd: null,
    source: 'api',
    mode: 'build',
    titledBy: 'person',
    cardId: null,
    prompt: null,
  } as const;
  await stub.execute(commandRequest({ type: 'session.create', sessionId, ...created }));
  await waitFor(async () => (await stateOf(stub)).sandbox.status === 'failed');
  const send = (command: Command) => stub.execute(commandRequest(command));
  return { sessionId, stub, send };
}

/** Appends events in one RPC call. */
export function renameTimes(stub: SessionStub, count: number): Promise<void> {
  return runInDurableObject(stub, (session) => {
    for (let i = 0; i < count; i++)
      session.execute(commandRequest({ type: 'session.rename', title: `t${i}` }));
  });
}

export const stateOf = async (stub: SessionStub): Promise<SessionState> =>
  unwrap(await stub.view()).state;

/** Polls a condition. */
export async function waitFor(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let i = 0; i < 1_000; i++) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('condition not met in time');
}

function watchRequest(kind: WatchRequest['kind'], watch: Partial<WatchRequest>): Request {
  const headers = kind === 'socket' ? { upgrade: 'websocket' } : {};
  const defaults = { after: undefined, name: 'ada', credentials: [] };
  return writeWatchRequest(new Request('http://x/', { headers }), { ...defaults, ...watch, kind });
}

/** Collects the messages of a socket. */
export class SocketWatcher {
  readonly messages: ServerMessage[] = [];
  readonly texts: string[] = [];
  closed: number | undefined;
  readonly #socket: WebSocket;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => {
      this.texts.push(String(data));
      if (String(data).startsWith('{'))
        this.messages.push(ServerMessage.parse(JSON.parse(String(data))));
    });
    socket.addEventListener('close', ({ code }) => {
      this.closed = code;
    });
    socket.accept();
  }

  static async open(stub: SessionStub, watch: Partial<WatchRequest> = {}): Promise<SocketWatcher> {
    const response = await stub.fetch(watchRequest('socket', watch));
    if (response.webSocket === null) throw new Error(`no socket: ${response.status}`);
    return new SocketWatcher(response.webSocket);
  }

  get pages() {
    return this.messages.filter((message) => message.type === 'page');
  }

  get seqs(): number[] {
    return this.pages.flatMap(({ events }) => events.map(({ seq }) => seq));
  }

  get presence(): string[] | undefined {
    return this.messages.findLast((message) => message.type === 'presence')?.watchers;
  }

  send(text: string | ArrayBuffer): void {
    this.#socket.send(text);
  }

  close(): void {
    this.#socket.close(1000, 'done');
  }
}

/** Reads an event stream as text. */
export async function openStream(stub: SessionStub, watch: Partial<WatchRequest> = {}) {
  const response = await stub.fetch(watchRequest('stream', watch));
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const seen = { text: '', isOver: false };
  const reading = (async () => {
    for (;;) {
      const chunk = await reader?.read();
      if (chunk === undefined || chunk.done) break;
      seen.text += chunk.value;
    }
  })()
    .catch(() => undefined)
    .finally(() => (seen.isOver = true));
  return {
    seen,
    headers: response.headers,
    ids: () => [...seen.text.matchAll(/^id: (\d+)$/gm)].map((match) => Number(match[1])),
    async close() {
      await reader?.cancel();
      await reading;
    },
  };
}
