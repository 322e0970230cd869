import * as z from 'zod';
import { TurnId } from '../ids.ts';

const count = z.int().nonnegative();

/** How much of the agent's work is in the log, and beside it as artifacts. */
export const Recorded = z.object({
  events: count,
  /** Of the texts in those events. */
  bytes: count,
  artifacts: count,
  artifactBytes: count,
});
export type Recorded = z.infer<typeof Recorded>;

export const RECORDING_EVENTS = {
  /**
   * The agent's work passed a limit on what is recorded of it. Stored when that happens, and once more when the attempt ends:
   * `isFinal`, with all that was left out.
   */
  'recording.limited': {
    version: 1,
    data: z.object({
      turnId: TurnId,
      /** Whose limit it is. */
      scope: z.enum(['turn', 'session']),
      limit: z.enum(['events', 'bytes', 'artifacts', 'artifactBytes']),
      isFinal: z.boolean(),
      /** What was left out so far. */
      cut: Recorded,
    }),
  },
} as const;
export type RecordingLimited = z.infer<(typeof RECORDING_EVENTS)['recording.limited']['data']>;
