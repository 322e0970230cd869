import { ModelList } from '@ship/protocol';
import { unwrap } from '../../platform/result.ts';
import type { ApiDeps } from '../api.ts';
import { endpoint } from '../endpoint.ts';

export const modelRoutes = ({
  workspace,
  models: { models },
}: Pick<ApiDeps, 'workspace' | 'models'>) => [
  endpoint({
    method: 'get',
    path: '/models',
    summary: 'The models that can be used now, with size, price and capabilities',
    response: ModelList,
    async handle() {
      const { settings } = unwrap(await workspace().readSettings());
      return models.list(settings.defaultModel);
    },
  }),
];
