import { getJson } from './get-json.ts';
import { Health } from '@ship/protocol';

export const getHealth = (signal: AbortSignal): Promise<Health> =>
  getJson('/api/health', Health, { signal });
