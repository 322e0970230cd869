import { getJson } from './get-json.ts';
import { Health } from './health.ts';

export const getHealth = (signal: AbortSignal): Promise<Health> =>
  getJson('/api/health', Health, { signal });
