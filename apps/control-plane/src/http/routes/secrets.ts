import { RepositoryId, SecretInfo, SecretList, SecretName, SecretWrite } from '@ship/protocol';
import * as z from 'zod';
import { unwrap } from '../../platform/result.ts';
import type { ApiParts } from '../api.ts';
import { endpoint } from '../endpoint.ts';

const params = z.object({ name: SecretName });
const path = '/secrets/{name}';

/** Values go in and never come out. */
export const secretRoutes = ({ workspace }: ApiParts) => [
  endpoint({
    method: 'get',
    path: '/secrets',
    summary: 'The names of all secrets, without values',
    answer: SecretList,
    handle: async () => unwrap(await workspace().listSecrets()),
  }),
  endpoint({
    method: 'put',
    path,
    summary: 'Sets a secret of the workspace or of one repository',
    params,
    body: SecretWrite,
    answer: SecretInfo,
    handle: async ({ params: { name }, body: { value, repositoryId } }) =>
      unwrap(await workspace().writeSecret({ name, repositoryId }, value)),
  }),
  endpoint({
    method: 'delete',
    path,
    summary: 'Deletes a secret',
    params,
    query: z.strictObject({ repositoryId: RepositoryId.optional() }),
    answer: null,
    handle: async ({ params: { name }, query: { repositoryId = null } }) =>
      unwrap(await workspace().removeSecret({ name, repositoryId })),
  }),
];
