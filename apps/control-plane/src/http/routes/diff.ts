import { Diff, DiffQuery, SessionId } from '@ship/protocol';
import * as z from 'zod';
import { unwrap } from '../../platform/result.ts';
import type { ApiDeps } from '../api.ts';
import { endpoint } from '../endpoint.ts';

export const diffRoutes = ({ session }: ApiDeps) => [
  endpoint({
    method: 'get',
    path: '/sessions/{sessionId}/diff',
    summary:
      'What the session changed, or one of its turns: from its sandbox, else as it was pushed',
    params: z.object({ sessionId: SessionId }),
    query: DiffQuery,
    response: Diff,
    handle: async ({ params: { sessionId }, query: { turn } }) =>
      unwrap(await session(sessionId).diff(turn)),
  }),
];
