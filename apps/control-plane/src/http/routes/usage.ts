import { unwrap } from '../../platform/result.ts';
import { Calibration, Spending, Stats, Usage, UsageQuery } from '@ship/protocol';
import type { ApiDeps } from '../api.ts';
import { endpoint } from '../endpoint.ts';

export const usageRoutes = ({ workspace }: Pick<ApiDeps, 'workspace'>) => [
  endpoint({
    method: 'get',
    path: '/usage',
    summary: 'Cost and tokens by day, model or repository',
    query: UsageQuery,
    response: Usage,
    handle: async ({ query }) => unwrap(await workspace().readUsage(query)),
  }),
  endpoint({
    method: 'get',
    path: '/spending',
    summary: 'Spending today and this month, and the caps',
    response: Spending,
    handle: async () => unwrap(await workspace().readSpending()),
  }),
  endpoint({
    method: 'get',
    path: '/stats',
    summary: 'Statistics of the sessions in this workspace',
    response: Stats,
    handle: async () => unwrap(await workspace().readStats()),
  }),
  endpoint({
    method: 'get',
    path: '/calibration',
    summary: 'Outcomes of pull requests by the confidence that Ship had in them',
    response: Calibration,
    handle: async () => unwrap(await workspace().readCalibration()),
  }),
];
