import { SessionId, TerminalList, TerminalName, TerminalQuery, fail } from '@ship/protocol';
import * as z from 'zod';
import { unwrap } from '../../platform/result.ts';
import type { SandboxInside } from '../../sandbox/doors.ts';
import { calling } from '../../sandbox/failure.ts';
import { TerminalBridge } from '../../terminal/bridge.ts';
import type { ApiDeps } from '../api.ts';
import { type Caller, credentialsOf } from '../auth/caller.ts';
import { endpoint } from '../endpoint.ts';

const params = z.object({ sessionId: SessionId });
const named = z.object({ sessionId: SessionId, name: TerminalName });
const path = '/sessions/{sessionId}/terminals';

export const terminalRoutes = ({ session, doors, workspace, waitUntil }: ApiDeps) => {
  const enter = async (sessionId: SessionId, wake: boolean): Promise<SandboxInside> =>
    doors(unwrap(await session(sessionId).enterSandbox(wake)));
  const isAllowed = async (caller: Caller): Promise<boolean> => {
    const credentials = credentialsOf(caller);
    if (credentials.length === 0) return true;
    return (await workspace().endedCredentials(credentials)).length === 0;
  };
  return [
    endpoint({
      method: 'get',
      path,
      summary: 'The terminals whose shell runs',
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
      summary: 'WebSocket: a shell in the sandbox, the same one for as long as it runs',
      params: named,
      query: TerminalQuery,
      response: null,
      status: 101,
      async handle({ params: { sessionId, name }, query: { wake, ...size }, request, caller }) {
        if (request.headers.get('upgrade')?.toLowerCase() !== 'websocket')
          fail('invalid-input', 'This is a WebSocket.', 'Open it as one.');
        const { 0: client, 1: server } = new WebSocketPair();
        server.accept();
        const bridge = new TerminalBridge(server, {
          name,
          size,
          open: async (asked) => (await enter(sessionId, wake === 'yes')).terminals.open(asked),
          isAllowed: () => isAllowed(caller),
        });
        // A browser is told of a refusal on the socket, as it cannot read that of a handshake.
        waitUntil(bridge.run());
        return new Response(null, { status: 101, webSocket: client });
      },
    }),
    endpoint({
      method: 'delete',
      path: `${path}/{name}`,
      summary: 'Ends a terminal, its shell and what runs in it; none of this name is no error',
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
