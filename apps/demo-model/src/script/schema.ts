/** The schema of script files, which defines types, parser and error messages. */
import { z } from 'zod';
import { faultSchema } from './fault.ts';
import { patternSchema } from './pattern.ts';
import type { Run } from './script.ts';

const tokens = z.number().int().min(0).max(100_000_000);
const usdPerMillion = z.number().min(0).max(100_000);

const timingSchema = z.strictObject({
  firstTokenMs: z.number().int().min(0).max(3_600_000).optional(),
  tokensPerSecond: z.number().min(0).max(1_000_000).optional(),
});

const replyShape = {
  think: z.string().optional(),
  say: z.string().optional(),
  calls: z
    .array(z.strictObject({ tool: z.string().min(1), input: z.record(z.string(), z.unknown()) }))
    .optional(),
  faults: z.array(faultSchema).min(1).optional(),
  timing: timingSchema.optional(),
  usage: z
    .strictObject({
      inputTokens: tokens,
      cacheReadTokens: tokens,
      cacheWriteTokens: tokens,
      outputTokens: tokens,
      reasoningTokens: tokens,
    })
    .partial()
    .optional(),
  finish: z.enum(['stop', 'tool-calls', 'length']).optional(),
};

const branchSchema = z.strictObject({
  ...replyShape,
  /** Matched against the results of the previous step. */
  ifResult: patternSchema.optional(),
});

const stepSchema = z.strictObject({
  ...replyShape,
  /** The first matching alternative overrides the fields of the step. */
  branch: z.array(branchSchema).min(1).optional(),
  repeat: z.number().int().min(1).max(1000).optional(),
});
export type StepSpec = z.infer<typeof stepSchema>;

const runSchema = z.custom<Run>((value) => typeof value === 'function', 'expected a function');

const ruleSchema = z
  .strictObject({
    name: z.string().min(1),
    when: z
      .strictObject({
        prompt: patternSchema.optional(),
        model: z.string().min(1).optional(),
        kind: z.enum(['turn', 'title', 'compaction']).default('turn'),
      })
      .prefault({}),
    steps: z.array(stepSchema).min(1).optional(),
    run: runSchema.optional(),
    timing: timingSchema.prefault({}),
  })
  .refine((rule) => (rule.steps === undefined) !== (rule.run === undefined), {
    error: 'give either steps or run',
  });

const modelSchema = z.strictObject({
  id: z.string().min(1),
  name: z.string().min(1).optional(),
  contextTokens: z.number().int().positive().default(128_000),
  outputTokens: z.number().int().positive().default(8192),
  price: z
    .strictObject({
      input: usdPerMillion,
      output: usdPerMillion,
      cacheRead: usdPerMillion.default(0),
      cacheWrite: usdPerMillion.default(0),
    })
    .nullable(),
});

export const scriptSchema = z.strictObject({
  $schema: z.string().optional(),
  name: z.string().min(1),
  models: z.array(modelSchema).min(1).optional(),
  timing: timingSchema.prefault({}),
  rules: z.array(ruleSchema),
  /** For prompts that no rule matches: the built-in general script, or an error that lists the rules. */
  otherwise: z.enum(['general', 'refuse']).default('general'),
});
export type ScriptFile = z.input<typeof scriptSchema>;
