import { PROTOCOL_VERSION, SessionId, WatchQuery, fail } from '@ship/protocol';
import * as z from 'zod';
import { unwrap } from '../../platform/result.ts';
import { type WatchRequest, writeWatchRequest } from '../../session/watch-request.ts';
import type { ApiDeps } from '../api.ts';
import { type Caller, credentialsOf, nameOf } from '../auth/caller.ts';
import { endpoint } from '../endpoint.ts';

const params = z.object({ sessionId: SessionId });

export const watchRoutes = ({ session }: ApiDeps) => [
  endpoint({
    method: 'get',
    path: '/sessions/{sessionId}/socket',
    summary: 'WebSocket: the event log in pages, then new events as they happen (ServerMessage)',
    params,
    query: WatchQuery,
    response: null,
    status: 101,
    async handle({ params: { sessionId }, query: { after, protocol }, request, caller }) {
      if (request.headers.get('upgrade')?.toLowerCase() !== 'websocket')
        fail(
          'invalid-input',
          'This route is a WebSocket.',
          'Open it with new WebSocket(), or read …/events instead.',
        );
      refuseOldClients(protocol);
      const watch = { kind: 'socket', after, ...watcher(caller) } as const;
      return session(sessionId).fetch(writeWatchRequest(request, watch));
    },
  }),
  endpoint({
    method: 'get',
    path: '/sessions/{sessionId}/events',
    summary: 'The same as server-sent events; Last-Event-ID sets the start',
    params,
    query: WatchQuery,
    response: null,
    status: 200,
    async handle({ params: { sessionId }, query, request, caller }) {
      refuseOldClients(query.protocol);
      unwrap(await session(sessionId).view());
      const after = lastEventId(request) ?? query.after;
      const watch = { kind: 'stream', after, ...watcher(caller) } as const;
      return session(sessionId).fetch(writeWatchRequest(request, watch));
    },
  }),
];

function watcher(caller: Caller): Pick<WatchRequest, 'name' | 'credentials'> {
  return { name: nameOf(caller), credentials: credentialsOf(caller) };
}

function lastEventId(request: Request): number | undefined {
  const text = request.headers.get('last-event-id');
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** Newer clients are compatible by contract; older ones get an error. */
function refuseOldClients(protocol: number | undefined): void {
  if (protocol !== undefined && protocol < PROTOCOL_VERSION)
    fail(
      'protocol-too-old',
      `This server speaks version ${PROTOCOL_VERSION}.`,
      'Reload the page, or update the CLI.',
    );
}
