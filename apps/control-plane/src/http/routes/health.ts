import { Health } from '@ship/protocol';
import { endpoint } from '../endpoint.ts';
import { type HealthSources, readHealth } from '../health.ts';

export const healthRoutes = (sources: HealthSources) => [
  endpoint({
    method: 'get',
    path: '/health',
    summary: 'How every part is, asked now; needs no token',
    answer: Health,
    handle: () => readHealth(sources),
  }),
];
