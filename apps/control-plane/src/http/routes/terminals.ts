import { SessionId, TerminalList, TerminalName, TerminalQuery, fail } from '@ship/protocol';
import * as z from 'zod';
import { unwrap } from '../../platform/result.ts';
import type { SandboxConnection } from '../../sandbox/connect.ts';
import { calling } from '../../sandbox/failure.ts';
import { TerminalBridge } from '../../terminal/bridge.ts';
import type { ApiDeps } from '../api.ts';
import { type Caller, credentialsOf } from '../auth/caller.ts';
import { endpoint } from '../endpoint.ts';

const params = z.object({ sessionId: SessionId });
const named = z.object({ sessionId: SessionId, name: TerminalName });
const path = '/sessions/{sessionId}/terminals';

export const terminalRoutes = ({ session, openSandbox, workspace, waitUntil }: ApiDeps) => {
  const enter = async (sessionId: SessionId, wake: boolean): Promise<SandboxConnection> =>
    openSandbox(unwrap(await session(sessionId).enterSandbox(wake)));
  const isAllowed = async (caller: Caller): Promise<boolean> => {
    const credentials = credentialsOf(caller);
    if (credentials.length === 0) return true;
    return (await workspace().endedCredentials(credentials)).length === 0;
  };
  return [
    endpoint({
      method: 'get',
      path,
      summary: 'The terminals with a running shell',
      params,
      response: TerminalList,
      handle: ({ params: { sessionId } }) =>
        calling('sandbox', async () => {
          const names = await (await enter(sessionId, false)).terminals.list();
          return { terminals: names.map((name) => ({ name })) };
        }),
    }),
    endpoint({
      method: 'get',
      path: `${path}/{name}`,
      summary: 'WebSocket: a shell in the sandbox; reconnects to the same one while it runs',
      params: named,
      query: TerminalQuery,
      response: null,
      status: 101,
      async handle({ params: { sessionId, name }, query: { wake, ...size }, request, caller }) {
        if (request.headers.get('upgrade')?.toLowerCase() !== 'websocket')
          fail('invalid-input', 'This route is a WebSocket.', 'Open it with new WebSocket().');
        const { 0: client, 1: server } = new WebSocketPair();
        server.accept();
        const bridge = new TerminalBridge(server, {
          name,
          size,
          open: async (options) => (await enter(sessionId, wake === 'yes')).terminals.open(options),
          isAllowed: () => isAllowed(caller),
        });
        // Errors go over the socket, because a browser cannot read those of a handshake.
        waitUntil(bridge.run());
        return new Response(null, { status: 101, webSocket: client });
      },
    }),
    endpoint({
      method: 'delete',
      path: `${path}/{name}`,
      summary: 'Ends a terminal with its shell and processes; an unknown name is not an error',
      params: named,
      response: null,
      handle: ({ params: { sessionId, name } }) =>
        calling('sandbox', async () => {
          await (await enter(sessionId, true)).terminals.end(name);
          return null;
        }),
    }),
  ];
};
