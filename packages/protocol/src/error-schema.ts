import * as z from 'zod';
import { ERROR_CODES } from './errors.ts';

/**
 * What to do about a failure decides its category:
 * - transient: retried by itself, with backoff, a bounded number of times
 * - persistent: retrying will not help; the session pauses and says so
 * - user-action: a person has to do or correct something
 * - fatal: the work cannot go on
 */
export const ErrorCategory = z.enum(['transient', 'persistent', 'user-action', 'fatal']);
export type ErrorCategory = z.infer<typeof ErrorCategory>;

export const ErrorCode = z.enum(ERROR_CODES);

/** Pages of the web app below `/settings`. */
const SettingsSection = z.enum([
  'general',
  'models',
  'agent',
  'repositories',
  'forges',
  'limits',
  'network',
  'secrets',
  'tokens',
]);
export type SettingsSection = z.infer<typeof SettingsSection>;

/** The remedy as data: the web app makes a button of it, the CLI an address. */
export const ErrorAction = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('open-settings'), section: SettingsSection }),
]);
export type ErrorAction = z.infer<typeof ErrorAction>;

/** A failure as data: safe to log, store and show. `remedy` is a sentence that tells the reader what to do next. */
export const ShipError = z.object({
  code: ErrorCode,
  category: ErrorCategory,
  message: z.string(),
  remedy: z.string(),
  /**
   * Absent where no single action resolves it, and in errors stored before actions existed. Clients then show the remedy
   * alone: an action guessed from its words could lead to the wrong page. One that only a newer server knows is ignored.
   */
  action: ErrorAction.optional().catch(undefined),
});
export type ShipError = z.infer<typeof ShipError>;

/** The body of every answer that is not a success. */
export const ErrorBody = z.object({ error: ShipError });
export type ErrorBody = z.infer<typeof ErrorBody>;
