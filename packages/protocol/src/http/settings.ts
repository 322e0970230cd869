import * as z from 'zod';
import { ModelRef } from '../events/session-events.ts';
import { AgentSettings } from './agent-settings.ts';
import { DEFAULT_HOSTS } from './default-hosts.ts';
import { line } from './text.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const durationMs = (min: number, max: number) => z.int().min(min).max(max);
const usd = z.number().positive().max(1_000_000).nullable();

/** A host, or `*.` and a domain for everything below it. */
const NAME = /^(\*\.)?([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]*[a-z0-9])?$/;
const PRIVATE = /^([^=:*]+)(?::([1-9][0-9]{0,4}))?=([^=]+)$/;
/** Loopback and link-local addresses, which include cloud metadata services: no entry opens them. */
const NEVER = /^(127\.|0\.|169\.254\.|::1?(\/|$)|::ffff:(127|169\.254)\.|fe[89ab])/;
const CLOSED_PORTS = new Set([22, 25, 465, 587]);
const address = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]);

/** `HOST=private`, `HOST=10.0.0.0/8`, `HOST:8443=private`: one host of the owner's network, at a private address. */
function isPrivateHost(entry: string): boolean {
  const [, host = '', portText, target = ''] = PRIVATE.exec(entry) ?? [];
  const port = Number(portText ?? 443);
  const isLiteral = z.ipv4().safeParse(host).success;
  const isHost = NAME.test(host) && (isLiteral || !/(^|\.)[0-9]+$/.test(host));
  const isTarget = target === 'private' || (!isLiteral && address.safeParse(target).success);
  const isClosed = NEVER.test(isLiteral ? host : target) || CLOSED_PORTS.has(port) || port > 65_535;
  return isHost && isTarget && !isClosed;
}

const HostPattern = z
  .string()
  .toLowerCase()
  .max(300)
  .refine(
    (entry) =>
      entry === DEFAULT_HOSTS ||
      (entry.includes('=') ? isPrivateHost(entry) : entry.length <= 253 && NAME.test(entry)),
    'must be a host name, or HOST=private for a host of your own network',
  );

/** Steps that an agent may take in one turn. A limit above this range would have no effect. */
export const StepLimit = z.int().min(1).max(1000);

const limits = {
  maxStepsPerTurn: StepLimit,
  turnTimeoutMs: durationMs(MINUTE_MS, 24 * HOUR_MS),
  /** So many consecutive failures of one tool pause the session. */
  toolFailures: z.int().min(1).max(20),
};
const verifyTimeoutMs = durationMs(MINUTE_MS, 4 * HOUR_MS);
const DEFAULT_VERIFY_TIMEOUT_MS = 10 * MINUTE_MS;

const Limits = z.strictObject({
  ...limits,
  /** Timeout of the test command, before and after the work; absent in older settings. */
  verifyTimeoutMs: verifyTimeoutMs.default(DEFAULT_VERIFY_TIMEOUT_MS),
});

const tokens = z.int().positive().max(1_000_000_000_000).nullable();

/**
 * High enough for real tasks, which take 30 to 120 steps: the default cap of a turn in dollars is reached first. It stops a
 * runaway agent whose model has no price.
 */
export const DEFAULT_STEPS_PER_TURN = 200;

/** Default caps. They apply to models with a known price, not to the demo model. */
export const DEFAULT_CAPS = { turnUsd: 3, sessionUsd: 5, dailyUsd: 25 } as const;

const byDefault = z.array(z.enum(['turnUsd', 'sessionUsd', 'dailyUsd'])).max(3);

const caps = {
  turnUsd: usd,
  turnTokens: tokens,
  sessionUsd: usd,
  sessionTokens: tokens,
  /** Total of all sessions per UTC day. */
  dailyUsd: usd,
  dailyTokens: tokens,
};

/** Null means no cap. A call must be within all caps; tokens are the sum of prompts and answers. */
export const Budgets = z.strictObject({
  ...caps,
  /** Caps that are still defaults. Setting one, even to `null` or the same amount, removes it from this list. */
  byDefault: byDefault.default([]),
});

const Idle = z.strictObject({
  pauseAfterMs: durationMs(1_000, 24 * HOUR_MS),
  sleepAfterMs: durationMs(1_000, 24 * HOUR_MS),
  destroyAfterMs: durationMs(1_000, 30 * 24 * HOUR_MS),
});

const Egress = z.strictObject({ allow: z.array(HostPattern).max(500) });
/** Size of the warm pool of agents for future sessions; each takes about 400 MB. */
const Warm = z.strictObject({ size: z.int().min(0).max(8) });
/** The default in a repository without its own setup. */
const Install = z.strictObject({
  /** Install dependencies before the agent starts. */
  dependencies: z.boolean(),
  /** Let dependencies run their own install scripts. */
  scripts: z.boolean(),
});
const Concurrency = z.strictObject({ maxWorking: z.int().min(1).max(1000) });

/** The author of the agent's commits; null uses the forge's data of the user. */
const Author = z.strictObject({
  name: line(100).nullable(),
  email: z.email().max(200).nullable(),
});

/**
 * When Ship deletes a session's branch at the forge: after its pull request is merged, also after it is closed or the session
 * ends, or never. Checkpoints are always deleted when the session ends.
 */
const DeleteBranch = z.enum(['never', 'merged', 'ended']);
export type DeleteBranch = z.infer<typeof DeleteBranch>;
const Branches = z.strictObject({ delete: DeleteBranch });

const fields = {
  defaultModel: ModelRef.nullable(),
  sandboxProvider: z.enum(['local', 'e2b']),
  limits: Limits,
  budgets: Budgets,
  idle: Idle,
  egress: Egress,
  concurrency: Concurrency,
  warm: Warm,
  install: Install.default({ dependencies: true, scripts: true }),
  author: Author,
  agent: AgentSettings,
  branches: Branches.default({ delete: 'merged' }),
};

export const Settings = z
  .strictObject(fields)
  .refine(
    ({ idle }) =>
      idle.pauseAfterMs <= idle.sleepAfterMs && idle.sleepAfterMs <= idle.destroyAfterMs,
    { path: ['idle'], message: 'pauseAfterMs ≤ sleepAfterMs ≤ destroyAfterMs must hold' },
  );
export type Settings = z.infer<typeof Settings>;

/** `PATCH /api/settings`: absent fields stay unchanged. */
export const SettingsPatch = z.strictObject({
  defaultModel: fields.defaultModel.optional(),
  sandboxProvider: fields.sandboxProvider.optional(),
  limits: z
    .strictObject({ ...limits, verifyTimeoutMs })
    .partial()
    .optional(),
  budgets: z
    .strictObject({ ...caps, byDefault })
    .partial()
    .optional(),
  idle: Idle.partial().optional(),
  egress: Egress.partial().optional(),
  concurrency: Concurrency.partial().optional(),
  warm: Warm.partial().optional(),
  install: Install.partial().optional(),
  author: Author.partial().optional(),
  agent: AgentSettings.partial().optional(),
  branches: Branches.partial().optional(),
});
export type SettingsPatch = z.infer<typeof SettingsPatch>;

export const DEFAULT_SETTINGS: Settings = {
  defaultModel: null,
  sandboxProvider: 'local',
  limits: {
    maxStepsPerTurn: DEFAULT_STEPS_PER_TURN,
    turnTimeoutMs: HOUR_MS,
    toolFailures: 3,
    verifyTimeoutMs: DEFAULT_VERIFY_TIMEOUT_MS,
  },
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
  install: { dependencies: true, scripts: true },
  author: { name: null, email: null },
  agent: { instructions: '', skills: [], servers: [] },
  branches: { delete: 'merged' },
};
