import { SessionPage, SessionQuery } from '@ship/protocol';
import { unwrap } from '../../platform/result.ts';
import type { ApiDeps } from '../api.ts';
import { endpoint } from '../endpoint.ts';

export const sessionListRoutes = ({ workspace }: ApiDeps) => [
  endpoint({
    method: 'get',
    path: '/sessions',
    summary: 'Lists sessions, newest first, with search, filters and pages',
    query: SessionQuery,
    response: SessionPage,
    handle: async ({ query }) => unwrap(await workspace().listSessions(query)),
  }),
];
