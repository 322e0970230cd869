import { LiveQuery, fail } from '@ship/protocol';
import { writeLiveRequest } from '../../workspace/live-request.ts';
import type { ApiDeps } from '../api.ts';
import { credentialsOf } from '../auth/caller.ts';
import { endpoint } from '../endpoint.ts';

export const liveRoutes = ({ workspace }: ApiDeps) => [
  endpoint({
    method: 'get',
    path: '/live',
    summary: 'WebSocket: changes of lists and board as they happen (LiveMessage)',
    query: LiveQuery,
    response: null,
    status: 101,
    async handle({ query: { after }, request, caller }) {
      if (request.headers.get('upgrade')?.toLowerCase() !== 'websocket') {
        fail(
          'invalid-input',
          'This route is a WebSocket.',
          'Open it with new WebSocket("/api/live").',
        );
      }
      const credentials = credentialsOf(caller);
      return workspace().fetch(writeLiveRequest(request, { after, credentials }));
    },
  }),
];
