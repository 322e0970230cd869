import { ProviderId, ProviderInfo, ProviderList, ProviderWrite } from '@ship/protocol';
import * as z from 'zod';
import { unwrap } from '../../platform/result.ts';
import type { ApiDeps } from '../api.ts';
import { endpoint } from '../endpoint.ts';

const params = z.object({ providerId: ProviderId });
const path = '/providers/{providerId}';

/** Keys and headers are write-only. */
export const providerRoutes = ({
  workspace,
  models: { registry },
}: Pick<ApiDeps, 'workspace' | 'models'>) => [
  endpoint({
    method: 'get',
    path: '/providers',
    summary: 'The model providers, without keys',
    response: ProviderList,
    handle: async () => ({ providers: (await registry.all()).map(({ info }) => info) }),
  }),
  endpoint({
    method: 'put',
    path,
    summary: 'Adds or changes a provider; an omitted key is kept while the address stays the same',
    params,
    body: ProviderWrite,
    response: ProviderInfo,
    async handle({ params: { providerId }, body }) {
      const info = unwrap(await workspace().writeProvider(providerId, body));
      registry.forget();
      return info;
    },
  }),
  endpoint({
    method: 'delete',
    path,
    summary: 'Removes a stored provider',
    params,
    response: null,
    async handle({ params: { providerId } }) {
      unwrap(await workspace().removeProvider(providerId));
      registry.forget();
    },
  }),
];
