import { HealthAnswer } from '@ship/protocol';
import { endpoint } from '../endpoint.ts';
import { type HealthSources, readHealth } from '../health.ts';

export const healthRoutes = (sources: HealthSources) => [
  endpoint({
    method: 'get',
    path: '/health',
    summary: 'The state of every component, probed now; without a token only the overall status',
    response: HealthAnswer,
    async handle({ caller }) {
      const health = await readHealth(sources);
      return caller.kind === 'anonymous' ? { status: health.status } : health;
    },
  }),
];
