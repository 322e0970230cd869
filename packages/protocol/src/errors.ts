import type { ErrorAction, ErrorCategory, SettingsSection, ShipError } from './error-schema.ts';

interface Definition {
  status: number;
  category: ErrorCategory;
}

/** The only map from error code to category and HTTP status; it defines all codes. */
const DEFINITIONS = {
  'invalid-input': { status: 400, category: 'user-action' },
  unauthenticated: { status: 401, category: 'user-action' },
  'payment-required': { status: 402, category: 'user-action' },
  'budget-exhausted': { status: 402, category: 'user-action' },
  'price-unknown': { status: 402, category: 'user-action' },
  forbidden: { status: 403, category: 'user-action' },
  'origin-refused': { status: 403, category: 'user-action' },
  'model-not-allowed': { status: 403, category: 'user-action' },
  'not-found': { status: 404, category: 'user-action' },
  'method-not-allowed': { status: 405, category: 'user-action' },
  'credentials-refused': { status: 409, category: 'user-action' },
  misconfigured: { status: 409, category: 'user-action' },
  'request-id-reused': { status: 409, category: 'user-action' },
  'session-exists': { status: 409, category: 'user-action' },
  'session-closed': { status: 409, category: 'user-action' },
  'session-busy': { status: 409, category: 'user-action' },
  'no-sandbox': { status: 409, category: 'user-action' },
  'sandbox-paused': { status: 409, category: 'user-action' },
  'no-turn-running': { status: 409, category: 'user-action' },
  'nothing-to-retry': { status: 409, category: 'user-action' },
  'nothing-to-answer': { status: 409, category: 'user-action' },
  'prompt-exists': { status: 409, category: 'user-action' },
  'prompt-not-queued': { status: 409, category: 'user-action' },
  'queue-full': { status: 409, category: 'user-action' },
  'card-started': { status: 409, category: 'user-action' },
  'card-not-started': { status: 409, category: 'user-action' },
  'limit-reached': { status: 409, category: 'user-action' },
  'repository-exists': { status: 409, category: 'user-action' },
  'repository-archived': { status: 409, category: 'user-action' },
  'base-missing': { status: 409, category: 'user-action' },
  'branch-taken': { status: 409, category: 'user-action' },
  'push-refused': { status: 409, category: 'user-action' },
  'pull-request-refused': { status: 409, category: 'user-action' },
  'no-pull-request': { status: 409, category: 'user-action' },
  'not-mergeable': { status: 409, category: 'user-action' },
  'setup-failed': { status: 409, category: 'user-action' },
  conflict: { status: 409, category: 'user-action' },
  'secret-unreadable': { status: 409, category: 'user-action' },
  'conversation-too-long': { status: 409, category: 'user-action' },
  'content-refused': { status: 409, category: 'user-action' },
  'model-unavailable': { status: 409, category: 'user-action' },
  'length-required': { status: 411, category: 'user-action' },
  'precondition-failed': { status: 412, category: 'user-action' },
  'repository-damaged': { status: 409, category: 'user-action' },
  gone: { status: 410, category: 'persistent' },
  'too-large': { status: 413, category: 'user-action' },
  'unsupported-media-type': { status: 415, category: 'user-action' },
  'range-unsatisfiable': { status: 416, category: 'user-action' },
  'protocol-too-old': { status: 426, category: 'user-action' },
  'precondition-required': { status: 428, category: 'user-action' },
  'rate-limited': { status: 429, category: 'transient' },
  internal: { status: 500, category: 'fatal' },
  'not-configured': { status: 501, category: 'user-action' },
  'attempts-exhausted': { status: 503, category: 'persistent' },
  'not-understood': { status: 502, category: 'persistent' },
  unavailable: { status: 503, category: 'transient' },
  unreachable: { status: 503, category: 'transient' },
  'empty-answer': { status: 503, category: 'transient' },
  'out-of-space': { status: 507, category: 'persistent' },
  'timed-out': { status: 504, category: 'transient' },
} as const satisfies Record<string, Definition>;

type ErrorCode = keyof typeof DEFINITIONS;
export const ERROR_CODES = Object.keys(DEFINITIONS) as [ErrorCode, ...ErrorCode[]];

export function shipError(
  code: ErrorCode,
  message: string,
  remedy: string,
  action?: ErrorAction,
): ShipError {
  const error = { code, category: DEFINITIONS[code].category, message, remedy };
  return action === undefined ? error : { ...error, action };
}

export const openSettings = (section: SettingsSection): ErrorAction => ({
  kind: 'open-settings',
  section,
});

export function httpStatusOf(code: ErrorCode): number {
  return DEFINITIONS[code].status;
}

/** An exception that carries a ShipError. */
export class ShipFailure extends Error {
  readonly error: ShipError;

  constructor(error: ShipError) {
    super(error.message);
    this.name = 'ShipFailure';
    this.error = error;
  }
}

export function fail(
  code: ErrorCode,
  message: string,
  remedy: string,
  action?: ErrorAction,
): never {
  throw new ShipFailure(shipError(code, message, remedy, action));
}
