import * as z from 'zod';
import { TurnId } from '../ids.ts';

const count = z.int().nonnegative();

/** How much of the agent's work is recorded in the log and as artifacts. */
export const Recorded = z.object({
  events: count,
  /** Size of the texts in those events. */
  bytes: count,
  artifacts: count,
  artifactBytes: count,
});
export type Recorded = z.infer<typeof Recorded>;

export const RECORDING_EVENTS = {
  /**
   * The agent's work exceeded a recording limit. Stored when that happens, and again when the attempt ends (`isFinal`), with the
   * totals that were left out.
   */
  'recording.limited': {
    version: 1,
    data: z.object({
      turnId: TurnId,
      /** The scope of the limit. */
      scope: z.enum(['turn', 'session']),
      limit: z.enum(['events', 'bytes', 'artifacts', 'artifactBytes']),
      isFinal: z.boolean(),
      /** How much was left out so far. */
      cut: Recorded,
    }),
  },
} as const;
export type RecordingLimited = z.infer<(typeof RECORDING_EVENTS)['recording.limited']['data']>;
