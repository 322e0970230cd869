/** The faults that a script can simulate. */
import { z } from 'zod';

const MAX_DELAY_MS = 24 * 3600 * 1000;
const delayMs = z.number().int().min(0).max(MAX_DELAY_MS);
const shared = {
  /** Number of failing requests before the step is answered; default: all. */
  times: z.number().int().min(1).max(1000).optional(),
  message: z.string().min(1).optional(),
};
const afterFragments = z.number().int().min(0).max(100_000).default(3);

function fault<K extends string, S extends z.core.$ZodLooseShape>(kind: K, shape: S) {
  return z.strictObject({ kind: z.literal(kind), ...shared, ...shape });
}

export const faultSchema = z.discriminatedUnion('kind', [
  fault('rate-limit', {
    retryAfterSec: z
      .number()
      .min(0)
      .max(7 * 86_400)
      .optional(),
  }),
  fault('server-error', {}),
  fault('unauthorized', {}),
  fault('context-overflow', {}),
  fault('http-error', { status: z.number().int().min(400).max(599) }),
  fault('hang-before-headers', { forMs: delayMs.optional() }),
  fault('hang-mid-stream', { afterFragments, forMs: delayMs.optional() }),
  fault('cut-stream', { afterFragments }),
  fault('malformed-json', { afterFragments }),
  fault('malformed-sse', { afterFragments }),
  fault('error-in-stream', { afterFragments }),
  fault('bad-tool-json', {}),
  fault('empty-answer', {}),
  fault('slow-drip', { everyMs: delayMs.default(1000) }),
]);

export type Fault = z.infer<typeof faultSchema>;
export type FaultKind = Fault['kind'];
