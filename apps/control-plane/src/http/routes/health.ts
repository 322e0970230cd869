import { HealthAnswer } from '@ship/protocol';
import { endpoint } from '../endpoint.ts';
import { type HealthSources, readHealth } from '../health.ts';

export const healthRoutes = (sources: HealthSources) => [
  endpoint({
    method: 'get',
    path: '/health',
    summary: 'How every part is, asked now; without a token only whether all is well',
    response: HealthAnswer,
    async handle({ caller }) {
      const health = await readHealth(sources);
      return caller.kind === 'anonymous' ? { status: health.status } : health;
    },
  }),
];
