import * as z from 'zod';
import { ModelRef } from '../events/session-events.ts';
import { AgentSettings } from './agent-settings.ts';
import { line } from './text.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const durationMs = (min: number, max: number) => z.int().min(min).max(max);
const usd = z.number().positive().max(1_000_000).nullable();

/** A host, or `*.` and a domain for everything below it. */
const HostPattern = z
  .string()
  .toLowerCase()
  .max(253)
  .regex(
    /^(\*\.)?([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]*[a-z0-9])?$/,
    'must be a host name',
  );

const Limits = z.strictObject({
  maxStepsPerTurn: z.int().min(1).max(500),
  turnTimeoutMs: durationMs(MINUTE_MS, 24 * HOUR_MS),
  /** The same tool failing this often in a row pauses the session. */
  toolFailures: z.int().min(1).max(20),
});

const tokens = z.int().positive().max(1_000_000_000_000).nullable();

/** Caps that hold until a person chooses others. They are for models with a known price, and not for the demo model. */
export const DEFAULT_CAPS = { turnUsd: 3, sessionUsd: 5, dailyUsd: 25 } as const;

const byDefault = z.array(z.enum(['turnUsd', 'sessionUsd', 'dailyUsd'])).max(3);

const caps = {
  turnUsd: usd,
  turnTokens: tokens,
  sessionUsd: usd,
  sessionTokens: tokens,
  /** Of all sessions together, by UTC days. */
  dailyUsd: usd,
  dailyTokens: tokens,
};

/** Null means no cap. A call must be within all of them; tokens are those of prompts and answers together. */
export const Budgets = z.strictObject({
  ...caps,
  /** Those that nobody chose. Choosing one, even `null` or the same amount, takes it off this list. */
  byDefault: byDefault.default([]),
});

const Idle = z.strictObject({
  pauseAfterMs: durationMs(1_000, 24 * HOUR_MS),
  sleepAfterMs: durationMs(1_000, 24 * HOUR_MS),
  destroyAfterMs: durationMs(1_000, 30 * 24 * HOUR_MS),
});

const Egress = z.strictObject({ allow: z.array(HostPattern).max(500) });
/** Agents that wait, started, for sessions to come; each takes about 400 MB. */
const Warm = z.strictObject({ size: z.int().min(0).max(8) });
const Concurrency = z.strictObject({ maxWorking: z.int().min(1).max(1000) });

/** Who the agent's commits are by; null uses what the forge knows of the user. */
const Author = z.strictObject({
  name: line(100).nullable(),
  email: z.email().max(200).nullable(),
});

const fields = {
  defaultModel: ModelRef.nullable(),
  sandboxProvider: z.enum(['local', 'e2b']),
  limits: Limits,
  budgets: Budgets,
  idle: Idle,
  egress: Egress,
  concurrency: Concurrency,
  warm: Warm,
  author: Author,
  agent: AgentSettings,
};

export const Settings = z
  .strictObject(fields)
  .refine(
    ({ idle }) =>
      idle.pauseAfterMs <= idle.sleepAfterMs && idle.sleepAfterMs <= idle.destroyAfterMs,
    { path: ['idle'], message: 'pauseAfterMs ≤ sleepAfterMs ≤ destroyAfterMs must hold' },
  );
export type Settings = z.infer<typeof Settings>;

/** `PATCH /api/settings`: what is absent stays as it is. */
export const SettingsPatch = z.strictObject({
  defaultModel: fields.defaultModel.optional(),
  sandboxProvider: fields.sandboxProvider.optional(),
  limits: Limits.partial().optional(),
  budgets: z
    .strictObject({ ...caps, byDefault })
    .partial()
    .optional(),
  idle: Idle.partial().optional(),
  egress: Egress.partial().optional(),
  concurrency: Concurrency.partial().optional(),
  warm: Warm.partial().optional(),
  author: Author.partial().optional(),
  agent: AgentSettings.partial().optional(),
});
export type SettingsPatch = z.infer<typeof SettingsPatch>;

export const DEFAULT_SETTINGS: Settings = {
  defaultModel: null,
  sandboxProvider: 'local',
  limits: { maxStepsPerTurn: 25, turnTimeoutMs: HOUR_MS, toolFailures: 3 },
  budgets: {
    turnUsd: DEFAULT_CAPS.turnUsd,
    turnTokens: null,
    sessionUsd: DEFAULT_CAPS.sessionUsd,
    sessionTokens: null,
    dailyUsd: DEFAULT_CAPS.dailyUsd,
    dailyTokens: null,
    byDefault: ['turnUsd', 'sessionUsd', 'dailyUsd'],
  },
  idle: { pauseAfterMs: 5 * MINUTE_MS, sleepAfterMs: 20 * MINUTE_MS, destroyAfterMs: HOUR_MS },
  egress: { allow: [] },
  concurrency: { maxWorking: 4 },
  warm: { size: 1 },
  author: { name: null, email: null },
  agent: { instructions: '', skills: [], servers: [] },
};
