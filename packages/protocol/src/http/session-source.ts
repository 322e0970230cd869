import * as z from 'zod';

export const SessionSource = z.enum([
  'web',
  'cli',
  'api',
  'board',
  'linear',
  'github',
  'slack',
  'schedule',
  'webhook',
]);
export type SessionSource = z.infer<typeof SessionSource>;
