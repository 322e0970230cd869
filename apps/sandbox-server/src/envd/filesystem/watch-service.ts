/** Watching by RPC: as a stream, and by polling for clients that cannot stream. */
import { crypto } from '../on-demand.ts';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { RpcError } from '../connect/errors.ts';
import { boolean, string, type Message } from '../connect/message.ts';
import type { MessageStream } from '../connect/message-stream.ts';
import type { Call, Service } from '../connect/server.ts';
import { entryOf } from './entry.ts';
import { TreeWatcher, type TreeEvent } from './tree-watcher.ts';

type Target = (request: Message, call: Call) => { path: string };

/** A client that stops polling must not fill memory: the oldest events are dropped first. */
const MAX_KEPT_EVENTS = 10_000;
const MAX_POLLERS = 100;

interface Poller {
  watcher: TreeWatcher;
  events: Message[];
}

export function watchMethods(target: Target): Pick<Service, 'unary' | 'serverStream'> {
  const pollers = new Map<string, Poller>();
  const find = (request: Message): [string, Poller] => {
    const id = string(request, 'watcherId');
    const poller = pollers.get(id);
    if (poller === undefined)
      throw new RpcError('not_found', `watcher with id ${id.slice(0, 60)} not found`);
    return [id, poller];
  };
  return {
    unary: {
      CreateWatcher: async (request, call) => {
        if (pollers.size >= MAX_POLLERS)
          throw new RpcError(
            'resource_exhausted',
            `more than ${MAX_POLLERS} watchers; remove some`,
          );
        const events: Message[] = [];
        const watcher = await open(target(request, call).path, request, (encoded) => {
          void encoded.then((event) => {
            events.push(event);
            if (events.length > MAX_KEPT_EVENTS) events.shift();
            return undefined;
          });
        });
        const watcherId = crypto().randomUUID();
        pollers.set(watcherId, { watcher, events });
        return { watcherId };
      },
      GetWatcherEvents: (request) => ({ events: find(request)[1].events.splice(0) }),
      RemoveWatcher: (request) => {
        const [id, { watcher }] = find(request);
        watcher.close();
        pollers.delete(id);
        return {};
      },
    },
    serverStream: {
      WatchDir: (request, call, out) => stream(target(request, call).path, request, call, out),
    },
  };
}

async function stream(
  path: string,
  request: Message,
  call: Call,
  out: MessageStream,
): Promise<void> {
  // Sends events in order; the queue for a slow client is limited like a poller's.
  let sending: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  const sendAfter = async (earlier: Promise<unknown>, event: Promise<Message>) => {
    await earlier;
    await out.send({ filesystem: await event });
    waiting -= 1;
  };
  const watcher = await open(path, request, (event) => {
    if (waiting >= MAX_KEPT_EVENTS) return;
    waiting += 1;
    sending = sendAfter(sending, event);
  });
  const keepalive = setInterval(() => void out.send({ keepalive: {} }), call.keepaliveMs);
  try {
    await out.send({ start: {} });
    await out.closed;
  } finally {
    clearInterval(keepalive);
    watcher.close();
  }
}

async function open(
  path: string,
  request: Message,
  emit: (event: Promise<Message>) => void,
): Promise<TreeWatcher> {
  const found = await stat(path);
  if (!found.isDirectory()) throw new RpcError('invalid_argument', `path ${path} not a directory`);
  const withEntry = boolean(request, 'includeEntry');
  const watcher = new TreeWatcher(path, boolean(request, 'recursive'), (event) =>
    emit(encode(path, event, withEntry)),
  );
  await watcher.start();
  return watcher;
}

async function encode(root: string, event: TreeEvent, withEntry: boolean): Promise<Message> {
  const message = { name: event.name, type: `EVENT_TYPE_${event.type}` };
  // A removed or renamed entry no longer exists: its path may now name another one.
  if (!withEntry || event.type === 'REMOVE' || event.type === 'RENAME') return message;
  const entry = await entryOf(join(root, event.name)).catch(() => undefined);
  return entry === undefined ? message : { ...message, entry };
}
