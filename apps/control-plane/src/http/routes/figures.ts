import { unwrap } from '../../platform/result.ts';
import { Calibration, Spending, Stats, Usage, UsageQuery } from '@ship/protocol';
import type { ApiParts } from '../api.ts';
import { endpoint } from '../endpoint.ts';

export const figureRoutes = ({ workspace }: Pick<ApiParts, 'workspace'>) => [
  endpoint({
    method: 'get',
    path: '/usage',
    summary: 'Cost and tokens by day, model or repository',
    query: UsageQuery,
    answer: Usage,
    handle: async ({ query }) => unwrap(await workspace().readUsage(query)),
  }),
  endpoint({
    method: 'get',
    path: '/spending',
    summary: 'What was spent today and this month, and the caps',
    answer: Spending,
    handle: async () => unwrap(await workspace().readSpending()),
  }),
  endpoint({
    method: 'get',
    path: '/stats',
    summary: 'How the sessions of this workspace fare',
    answer: Stats,
    handle: async () => unwrap(await workspace().readStats()),
  }),
  endpoint({
    method: 'get',
    path: '/calibration',
    summary: 'What became of pull requests, by the confidence that Ship had in them',
    answer: Calibration,
    handle: async () => unwrap(await workspace().readCalibration()),
  }),
];
