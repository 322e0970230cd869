import * as z from 'zod';
import { ERROR_CODES } from './errors.ts';

/**
 * The category says how to handle a failure:
 * - transient: retried automatically, with backoff, a bounded number of times
 * - persistent: a retry does not help; the session pauses and says so
 * - user-action: a person must do or correct something
 * - fatal: the work cannot continue
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

/** The remedy as data: the web app shows a button, the CLI a URL. */
export const ErrorAction = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('open-settings'), section: SettingsSection }),
]);
export type ErrorAction = z.infer<typeof ErrorAction>;

/** A failure as data: safe to log, store and show. `remedy` is a sentence with the next step. */
export const ShipError = z.object({
  code: ErrorCode,
  category: ErrorCategory,
  message: z.string(),
  remedy: z.string(),
  /**
   * Absent when no single action resolves the error, and in errors stored before actions existed. Clients then show only the
   * remedy: a guessed action could lead to the wrong page. Actions of a newer server are ignored.
   */
  action: ErrorAction.optional().catch(undefined),
});
export type ShipError = z.infer<typeof ShipError>;

/** The body of every error response. */
export const ErrorBody = z.object({ error: ShipError });
export type ErrorBody = z.infer<typeof ErrorBody>;
