/** Matches text: a substring in any case, a regular expression, or `*` for any text. */
import { z } from 'zod';

const expression = z.strictObject({
  regex: z.string().min(1),
  flags: z
    .string()
    .regex(/^[imsu]*$/, 'only the flags i, m, s and u')
    .default('i'),
});

export const patternSchema = z
  .union([z.string().min(1), expression, z.instanceof(RegExp)], {
    error: 'expected text, {"regex": …} or a RegExp',
  })
  .transform((value, context): RegExp => {
    if (value === '*') return /^[^]*$/;
    if (typeof value === 'string') return new RegExp(escape(value), 'i');
    // A global or sticky expression keeps `lastIndex`, and would match only every second time.
    if (value instanceof RegExp) return new RegExp(value.source, value.flags.replace(/[gy]/g, ''));
    try {
      return new RegExp(value.regex, value.flags);
    } catch (error) {
      context.addIssue({
        code: 'custom',
        path: ['regex'],
        message: `not a regular expression: ${error instanceof Error ? error.message : 'unknown'}`,
      });
      return z.NEVER;
    }
  });

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
