import {
  Repository,
  RepositoryCreate,
  RepositoryEdit,
  RepositoryId,
  RepositoryList,
  RepositoryPlan,
  RepositoryPlanQuery,
} from '@ship/protocol';
import * as z from 'zod';
import { connectForge } from '../../git/index.ts';
import { unwrap } from '../../platform/result.ts';
import type { ApiDeps } from '../api.ts';
import { endpoint } from '../endpoint.ts';
import { readRepositoryPlan } from '../../setups/read-plan.ts';

const params = z.object({ repositoryId: RepositoryId });
const path = '/repositories/{repositoryId}';

export const repositoryRoutes = ({ workspace, forges }: ApiDeps) => [
  endpoint({
    method: 'get',
    path: '/repositories',
    summary: 'All repositories',
    response: RepositoryList,
    handle: async () => unwrap(await workspace().listRepositories()),
  }),
  endpoint({
    method: 'get',
    path: '/repositories/plan',
    summary: 'How Ship would set up, install and test a repository; runs nothing',
    query: RepositoryPlanQuery,
    response: RepositoryPlan,
    async handle({ query: { location, base } }) {
      const known = unwrap(await workspace().repositoryAt(location));
      const { settings } = unwrap(await workspace().readSettings());
      const forge = await connectForge(location, forges.bindings, forges.fetcher);
      const { secrets } = unwrap(await workspace().listSecrets());
      const isOwn = (id: RepositoryId | null) => id === null || id === known?.repositoryId;
      const own = secrets.filter(({ repositoryId }) => isOwn(repositoryId));
      return readRepositoryPlan(forge, settings, {
        location,
        base: base ?? known?.defaultBase ?? null,
        setupCommand: known?.setupCommand ?? null,
        verifyCommand: known?.verifyCommand ?? null,
        installDependencies: known?.installDependencies ?? null,
        installScripts: known?.installScripts ?? null,
        secretNames: own.map(({ name }) => name),
      });
    },
  }),
  endpoint({
    method: 'post',
    path: '/repositories',
    summary: 'Adds a repository',
    body: RepositoryCreate,
    response: Repository,
    status: 201,
    handle: async ({ body }) => unwrap(await workspace().createRepository(body)),
  }),
  endpoint({
    method: 'patch',
    path,
    summary: 'Changes how a repository is prepared and verified',
    params,
    body: RepositoryEdit,
    response: Repository,
    handle: async ({ params: { repositoryId }, body }) =>
      unwrap(await workspace().editRepository(repositoryId, body)),
  }),
  endpoint({
    method: 'delete',
    path,
    summary: 'Removes a repository and its secrets; its sessions stay',
    params,
    response: null,
    handle: async ({ params: { repositoryId } }) =>
      unwrap(await workspace().removeRepository(repositoryId)),
  }),
];
