import { EnvironmentCheck, EnvironmentCheckCreate, SessionId, createId } from '@ship/protocol';
import * as z from 'zod';
import { unwrap } from '../../platform/result.ts';
import type { ApiDeps } from '../api.ts';
import { endpoint } from '../endpoint.ts';

export const environmentCheckRoutes = ({ session }: ApiDeps) => [
  endpoint({
    method: 'post',
    path: '/environment-checks',
    summary: 'Sets up a repository in a separate sandbox and runs its tests, without an agent',
    body: EnvironmentCheckCreate,
    response: EnvironmentCheck,
    status: 201,
    async handle({ body }) {
      const checkId = createId('ses');
      return unwrap(await session(checkId).startEnvironmentCheck(checkId, body));
    },
  }),
  endpoint({
    method: 'get',
    path: '/environment-checks/{checkId}',
    summary: 'The progress of a check, with the end of its output',
    params: z.object({ checkId: SessionId }),
    response: EnvironmentCheck,
    handle: async ({ params: { checkId } }) => unwrap(await session(checkId).environmentCheck()),
  }),
];
