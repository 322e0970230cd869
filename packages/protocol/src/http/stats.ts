import * as z from 'zod';
import { BoardColumn } from './board-column.ts';
import { SessionStatus } from './session-summary.ts';

const count = z.int().nonnegative();

/** Null without any value. */
const medianMs = z.number().nonnegative().nullable();

/** `GET /api/stats` */
export const Stats = z.object({
  sessions: count,
  byStatus: z.record(SessionStatus, count),
  byColumn: z.record(BoardColumn, count),
  pullRequests: z.object({ open: count, merged: count, closed: count }),
  /** Share of merged among decided pull requests; null while none is decided. */
  mergedShare: z.number().min(0).max(1).nullable(),
  /** Total cost of all sessions per merged pull request; null while none is merged. */
  costPerMergedUsd: z.number().nonnegative().nullable(),
  medianFirstTokenMs: medianMs,
  medianPullRequestMs: medianMs,
  watchers: count,
});
export type Stats = z.infer<typeof Stats>;
