import { Diff, DiffQuery, SessionId } from '@ship/protocol';
import * as z from 'zod';
import { unwrap } from '../../platform/result.ts';
import type { ApiDeps } from '../api.ts';
import { endpoint } from '../endpoint.ts';

export const diffRoutes = ({ session }: ApiDeps) => [
  endpoint({
    method: 'get',
    path: '/sessions/{sessionId}/diff',
    summary: 'The changes of the session or of one turn: from its sandbox, else as pushed',
    params: z.object({ sessionId: SessionId }),
    query: DiffQuery,
    response: Diff,
    handle: async ({ params: { sessionId }, query: { turn } }) =>
      unwrap(await session(sessionId).diff(turn)),
  }),
];
