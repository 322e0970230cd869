import * as z from 'zod';
import { ModelRef } from '../events/session-events.ts';

/** What the host prepared for the demo: a repository of its own, and what to ask for in it. */
export const DemoTask = z.object({
  repository: z.string().min(1).max(2000),
  title: z.string().min(1).max(200),
  prompt: z.string().min(1),
  model: ModelRef,
});
export type DemoTask = z.infer<typeof DemoTask>;
