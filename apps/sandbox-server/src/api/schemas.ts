import { z } from 'zod';

import { Refusal } from '../lifecycle/errors.ts';

/** E2B's request bodies, as in its OpenAPI document. Unknown fields are ignored, as there. */
const seconds = z.number().int().min(0).max(2_147_483);
const noControl = /^\P{Cc}*$/u;

const text = (maxChars: number) => z.string().max(maxChars);
const stringMap = (maxEntries: number) =>
  z
    .record(text(256), text(16_384))
    .refine((map) => Object.keys(map).length <= maxEntries, `at most ${maxEntries} entries`);

const metadata = stringMap(64);
const envVars = z
  .record(
    text(256).regex(/^[^=\p{Cc}]+$/u, 'a variable name cannot contain "="'),
    text(131_072).refine((value) => !value.includes('\0'), 'a value cannot contain a zero byte'),
  )
  .refine((map) => Object.keys(map).length <= 1_000, 'at most 1000 variables');

const rules = z.record(
  text(253),
  z
    .array(
      z.object({
        transform: z.object({ headers: z.record(z.string(), z.string()).optional() }).nullish(),
      }),
    )
    .max(16),
);
const outboundFields = {
  allowOut: z.array(text(300)).max(512).nullish(),
  denyOut: z.array(text(300)).max(512).nullish(),
  egressProxy: z.object({ address: z.string() }).nullish(),
  rules: rules.nullish(),
};

const networkConfig = z.object({
  ...outboundFields,
  allowPublicTraffic: z.boolean().nullish(),
  maskRequestHost: text(300).regex(noControl, 'no control characters').nullish(),
  httpsPorts: z.array(z.number().int().min(1).max(65_535)).max(64).nullish(),
});
export const networkUpdate = z.object({
  ...outboundFields,
  allow_internet_access: z.boolean().nullish(),
});

export const newSandbox = z.object({
  templateID: text(256).min(1),
  timeout: seconds.nullish(),
  secure: z.boolean().nullish(),
  metadata: metadata.nullish(),
  envVars: envVars.nullish(),
  autoPause: z.boolean().nullish(),
  autoPauseMemory: z.boolean().nullish(),
  autoResume: z.object({ enabled: z.boolean().nullish() }).nullish(),
  allow_internet_access: z.boolean().nullish(),
  network: networkConfig.nullish(),
  iam: z.object({ tokens: z.record(z.string(), z.unknown()).nullish() }).nullish(),
  volumeMounts: z.array(z.unknown()).nullish(),
});
export type NewSandboxBody = z.infer<typeof newSandbox>;

export const connectSandbox = z.object({
  timeout: seconds.nullish(),
  memory: z.boolean().nullish(),
});
export const resumeSandbox = connectSandbox.extend({ autoPause: z.boolean().nullish() });
export const pauseSandbox = z.object({ memory: z.boolean().nullish() });
export const setTimeoutBody = z.object({ timeout: seconds });
export const refreshBody = z.object({ duration: z.number().int().min(0).max(86_400).nullish() });
export const snapshotBody = z.object({ name: text(256).nullish() });
export const forkBody = z.object({
  timeout: seconds.nullish(),
  count: z.number().int().min(1).max(32).nullish(),
});

const wholeNumber = z
  .string()
  .regex(/^[0-9]{1,12}$/)
  .transform(Number);
const paging = {
  limit: wholeNumber.pipe(z.number().min(1).max(1_000)).optional(),
  nextToken: text(512).optional(),
};
export const listQuery = z.object({
  ...paging,
  metadata: text(8_192).optional(),
  state: text(64).optional(),
  startedAfter: z.iso.datetime({ offset: true }).optional(),
  template: text(256).optional(),
  order: z.enum(['asc', 'desc']).optional(),
});
export const snapshotsQuery = z.object({
  ...paging,
  sandboxID: text(128).optional(),
  name: text(256).optional(),
});
export const metricsQuery = z.object({
  start: wholeNumber.optional(),
  end: wholeNumber.optional(),
});
export const refusalsQuery = z.object({
  after: wholeNumber.optional(),
  waitMs: wholeNumber.pipe(z.number().max(30_000)).default(0),
});
export const logsQuery = z.object({ limit: wholeNumber.optional(), start: wholeNumber.optional() });

/** Parses, or throws a refusal that names the invalid field. */
export function parse<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const where =
    issue === undefined || issue.path.length === 0
      ? 'the request'
      : issue.path.join('.').slice(0, 200);
  throw new Refusal(
    400,
    `Bad request: ${where}: ${(issue?.message ?? 'is invalid').slice(0, 300)}`,
  );
}
