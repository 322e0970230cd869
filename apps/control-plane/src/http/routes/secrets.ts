import { RepositoryId, SecretInfo, SecretList, SecretName, SecretWrite } from '@ship/protocol';
import * as z from 'zod';
import { unwrap } from '../../platform/result.ts';
import type { ApiDeps } from '../api.ts';
import { endpoint } from '../endpoint.ts';

const params = z.object({ name: SecretName });
const path = '/secrets/{name}';

/** Values are write-only. */
export const secretRoutes = ({ workspace }: ApiDeps) => [
  endpoint({
    method: 'get',
    path: '/secrets',
    summary: 'The names of all secrets, without values',
    response: SecretList,
    handle: async () => unwrap(await workspace().listSecrets()),
  }),
  endpoint({
    method: 'put',
    path,
    summary: 'Sets a secret of the workspace or of one repository',
    params,
    body: SecretWrite,
    response: SecretInfo,
    handle: async ({ params: { name }, body: { value, repositoryId } }) =>
      unwrap(await workspace().writeSecret({ name, repositoryId }, value)),
  }),
  endpoint({
    method: 'delete',
    path,
    summary: 'Deletes a secret',
    params,
    query: z.strictObject({ repositoryId: RepositoryId.optional() }),
    response: null,
    handle: async ({ params: { name }, query: { repositoryId = null } }) =>
      unwrap(await workspace().removeSecret({ name, repositoryId })),
  }),
];
