import * as z from 'zod';
import { ModelRef } from '../events/session-events.ts';

/** The demo's sample repository and task, which the host prepared. */
export const DemoTask = z.object({
  repository: z.string().min(1).max(2000),
  title: z.string().min(1).max(200),
  prompt: z.string().min(1),
  model: ModelRef,
});
export type DemoTask = z.infer<typeof DemoTask>;
