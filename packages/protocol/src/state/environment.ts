import * as z from 'zod';
import { NamedPort } from '../http/environment.ts';

/** What is known of the sandbox that the agent works in, beside its files. */
export const EnvironmentState = z.object({
  /** Languages and tools that the repository needs and the sandbox has not. */
  missing: z.array(z.string()),
  /** What the sandbox has in another version than the repository asks for, in words; absent in older logs. */
  outdated: z.array(z.string()).optional(),
  /** `none`: Ship installed nothing. */
  install: z.enum(['none', 'done', 'failed']),
  /** Why the install failed. */
  reason: z.string().nullable(),
  /** Ports with labels, as the team's files name them; absent without any. */
  ports: z.array(NamedPort).optional(),
});
export type EnvironmentState = z.infer<typeof EnvironmentState>;
