import * as z from 'zod';
import { NamedPort } from '../http/environment.ts';

/** The state of the agent's environment, without files. */
export const EnvironmentState = z.object({
  /** Languages and tools that the repository needs and the sandbox lacks. */
  missing: z.array(z.string()),
  /** Descriptions of tools with another version than the repository asks for; absent in older logs. */
  outdated: z.array(z.string()).optional(),
  /** `none`: Ship installed nothing. */
  install: z.enum(['none', 'done', 'failed']),
  /** Why the install failed. */
  reason: z.string().nullable(),
  /** Ports with labels, as the team's files name them; absent without any. */
  ports: z.array(NamedPort).optional(),
});
export type EnvironmentState = z.infer<typeof EnvironmentState>;
