import { FileSearchQuery, FoundFiles, SessionId } from '@ship/protocol';
import * as z from 'zod';
import { unwrap } from '../../platform/result.ts';
import type { ApiDeps } from '../api.ts';
import { endpoint } from '../endpoint.ts';

export const fileSearchRoutes = ({ session }: ApiDeps) => [
  endpoint({
    method: 'get',
    path: '/sessions/{sessionId}/files/search',
    summary: 'Finds files of the repository by letters of their paths, best match first',
    params: z.object({ sessionId: SessionId }),
    query: FileSearchQuery,
    response: FoundFiles,
    handle: async ({ params: { sessionId }, query: { q } }) =>
      unwrap(await session(sessionId).searchFiles(q)),
  }),
];
