import { ContactList, SandboxView, SessionId } from '@ship/protocol';
import * as z from 'zod';
import { unwrap } from '../../platform/result.ts';
import { calling } from '../../sandbox/failure.ts';
import type { ApiDeps } from '../api.ts';
import { endpoint } from '../endpoint.ts';
import { sessionCreation } from './session-create.ts';

const params = z.object({ sessionId: SessionId });
const path = '/sessions/{sessionId}/sandbox';

const ACTIONS = {
  pause: 'Freezes the sandbox with its processes',
  resume: 'Wakes the sandbox',
  kill: 'Ends the sandbox; the work is kept, and the next prompt starts a new one',
} as const;

export const sandboxRoutes = (deps: ApiDeps) => {
  const { session, egressLog } = deps;
  return [
    endpoint({
      method: 'get',
      path,
      summary: 'The current state of the sandbox',
      params,
      response: SandboxView,
      handle: async ({ params: { sessionId } }) => unwrap(await session(sessionId).sandbox('look')),
    }),
    ...(['pause', 'resume', 'kill'] as const).map((action) =>
      endpoint({
        method: 'post',
        path: `${path}/${action}`,
        summary: ACTIONS[action],
        params,
        response: SandboxView,
        handle: async ({ params: { sessionId } }) =>
          unwrap(await session(sessionId).sandbox(action)),
      }),
    ),
    endpoint({
      method: 'post',
      path: `${path}/network`,
      summary: 'Applies the network settings to the sandbox now, instead of with its next turn',
      params,
      response: SandboxView,
      handle: async ({ params: { sessionId } }) =>
        unwrap(await session(sessionId).sandbox('apply-network')),
    }),
    endpoint({
      method: 'get',
      path: `${path}/contacts`,
      summary: 'The hosts that the sandbox contacted or was denied; does not wake it',
      params,
      response: ContactList,
      async handle({ params: { sessionId } }) {
        const { sandbox } = unwrap(await session(sessionId).view()).state;
        const sandboxId = 'sandboxId' in sandbox ? sandbox.sandboxId : null;
        return calling('sandbox', () => egressLog(sandboxId));
      },
    }),
    // Aliases with the short names that other programs already use; the id is the session's.
    sessionCreation(deps, '/sandbox', 'The same as POST /sessions'),
    endpoint({
      method: 'get',
      path: '/sandbox/{sessionId}/status',
      summary: 'The same as GET /sessions/{sessionId}/sandbox',
      params,
      response: SandboxView,
      handle: async ({ params: { sessionId } }) => unwrap(await session(sessionId).sandbox('look')),
    }),
    endpoint({
      method: 'post',
      path: '/sandbox/{sessionId}/pause',
      summary: 'The same as POST /sessions/{sessionId}/sandbox/pause',
      params,
      response: SandboxView,
      handle: async ({ params: { sessionId } }) =>
        unwrap(await session(sessionId).sandbox('pause')),
    }),
  ];
};
