import {
  Repository,
  RepositoryCreate,
  RepositoryEdit,
  RepositoryId,
  RepositoryList,
} from '@ship/protocol';
import * as z from 'zod';
import { unwrap } from '../../platform/outcome.ts';
import type { ApiParts } from '../api.ts';
import { endpoint } from '../endpoint.ts';

const params = z.object({ repositoryId: RepositoryId });
const path = '/repositories/{repositoryId}';

export const repositoryRoutes = ({ workspace }: ApiParts) => [
  endpoint({
    method: 'get',
    path: '/repositories',
    summary: 'All repositories',
    answer: RepositoryList,
    handle: async () => unwrap(await workspace().listRepositories()),
  }),
  endpoint({
    method: 'post',
    path: '/repositories',
    summary: 'Adds a repository',
    body: RepositoryCreate,
    answer: Repository,
    status: 201,
    handle: async ({ body }) => unwrap(await workspace().createRepository(body)),
  }),
  endpoint({
    method: 'patch',
    path,
    summary: 'Changes how a repository is prepared and verified',
    params,
    body: RepositoryEdit,
    answer: Repository,
    handle: async ({ params: { repositoryId }, body }) =>
      unwrap(await workspace().editRepository(repositoryId, body)),
  }),
  endpoint({
    method: 'delete',
    path,
    summary: 'Removes a repository and its secrets; its sessions stay',
    params,
    answer: null,
    handle: async ({ params: { repositoryId } }) =>
      unwrap(await workspace().removeRepository(repositoryId)),
  }),
];
