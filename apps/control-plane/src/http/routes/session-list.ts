import { SessionPage, SessionQuery } from '@ship/protocol';
import { unwrap } from '../../platform/result.ts';
import type { ApiParts } from '../api.ts';
import { endpoint } from '../endpoint.ts';

export const sessionListRoutes = ({ workspace }: ApiParts) => [
  endpoint({
    method: 'get',
    path: '/sessions',
    summary: 'Sessions, newest first, searched and filtered, in pages',
    query: SessionQuery,
    answer: SessionPage,
    handle: async ({ query }) => unwrap(await workspace().listSessions(query)),
  }),
];
