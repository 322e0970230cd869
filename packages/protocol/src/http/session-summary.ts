import * as z from 'zod';
import { ModelRef } from '../events/session-events.ts';
import { SessionId } from '../ids.ts';
import { BoardColumn } from './board-column.ts';
import { SessionSource } from './session-source.ts';
import { PageLimit, RepositoryLocation } from './text.ts';

export const SessionStatus = z.enum([
  'queued',
  'starting',
  'idle',
  'working',
  'retrying',
  'stopping',
  /** A limit or a question: the session waits for a person. */
  'waiting',
  'failed',
  'closed',
]);
export type SessionStatus = z.infer<typeof SessionStatus>;

/** Why a session cannot continue without a person. */
export const NeedsYou = z.enum([
  'question',
  'permission',
  'plan',
  'error',
  'budget',
  'step-limit',
  'stuck',
  'setup',
]);
export type NeedsYou = z.infer<typeof NeedsYou>;

export const PullRequestSummary = z.object({
  number: z.int().min(1),
  url: z.string().max(2000),
  state: z.enum(['open', 'merged', 'closed']),
  draft: z.boolean(),
});
export type PullRequestSummary = z.infer<typeof PullRequestSummary>;

const count = z.int().nonnegative();

/**
 * One session as lists and the board show it; its Durable Object reports it after every change of status. Not stricter than
 * the session's state: a value that does not parse here would hide the session.
 */
export const SessionSummary = z.object({
  sessionId: SessionId,
  title: z.string().min(1).max(200),
  repository: z.string().min(1).max(2000),
  base: z.string().max(300).nullable(),
  branch: z.string().max(300).nullable(),
  status: SessionStatus,
  statusDetail: z.string().max(500).nullable(),
  needsYou: NeedsYou.nullable(),
  model: ModelRef,
  step: count,
  maxSteps: count,
  /** Null when the model's price is unknown: a guess would look like a fact. */
  costUsd: z.number().nonnegative().nullable(),
  inputTokens: count,
  outputTokens: count,
  additions: count,
  deletions: count,
  pullRequest: PullRequestSummary.nullable(),
  /** The confidence score of the newest work; null without one. */
  confidence: z.int().min(0).max(100).nullable().default(null),
  /** Counted from the session's creation; null until it happened. */
  timings: z
    .object({ firstTokenMs: count.nullable(), pullRequestMs: count.nullable() })
    .default({ firstTokenMs: null, pullRequestMs: null }),
  createdAt: z.int().nonnegative(),
  updatedAt: z.int().nonnegative(),
  source: SessionSource,
});
export type SessionSummary = z.infer<typeof SessionSummary>;

/** `version` grows with every report of a session, such as its newest seq: a late report must not overwrite a newer one. */
export const SessionReport = z.object({ version: z.int().min(1), summary: SessionSummary });
export type SessionReport = z.infer<typeof SessionReport>;

const listOf = <Value extends string>(values: z.ZodEnum<Record<string, Value>>) =>
  z
    .string()
    .max(200)
    .transform((text) => text.split(','))
    .pipe(z.array(values).min(1).max(20))
    .optional();

/** `GET /api/sessions`, newest first. Several values of one filter are separated by commas. */
export const SessionQuery = z.strictObject({
  q: z.string().trim().max(200).optional(),
  status: listOf(SessionStatus),
  column: listOf(BoardColumn),
  repository: RepositoryLocation.optional(),
  /** The `nextCursor` of the previous page. */
  cursor: SessionId.optional(),
  limit: PageLimit,
});
export type SessionQuery = z.infer<typeof SessionQuery>;

export const SessionPage = z.object({
  sessions: z.array(SessionSummary),
  /** Null on the last page. */
  nextCursor: SessionId.nullable(),
});
export type SessionPage = z.infer<typeof SessionPage>;
