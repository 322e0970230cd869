/** The failures that a script can ask for, in the words of providers: agents recognise some of them by their text. */
import type { Failure } from '../answer.ts';
import type { Fault } from '../script/fault.ts';

const DEFAULT_RETRY_AFTER_SEC = 1;

/** null for a fault that only shows once the answer has begun. */
export function refusalOf(
  fault: Fault,
  context: { tokens: number; limit: number },
): Failure | null {
  switch (fault.kind) {
    case 'rate-limit':
      return {
        status: 429,
        kind: 'rate-limit',
        message: fault.message ?? 'Rate limit reached for requests',
        retryAfterSec: fault.retryAfterSec ?? DEFAULT_RETRY_AFTER_SEC,
      };
    case 'server-error':
      return {
        status: 500,
        kind: 'server-error',
        message: fault.message ?? 'The server had an error while processing your request',
      };
    case 'unauthorized':
      return {
        status: 401,
        kind: 'unauthorized',
        message: fault.message ?? 'Incorrect API key provided',
      };
    case 'context-overflow':
      return overflow(Math.max(context.tokens, context.limit + 1), context.limit, fault.message);
    case 'http-error':
      return {
        status: fault.status,
        kind: fault.status >= 500 ? 'server-error' : 'other',
        message: fault.message ?? `Request failed with status ${fault.status}`,
      };
    default:
      return null;
  }
}

/** Holds the wording of both families of providers: agents look for one or the other. */
export function overflow(tokens: number, limit: number, message?: string): Failure {
  return {
    status: 400,
    kind: 'context-overflow',
    message:
      message ??
      `prompt is too long: this model's maximum context length is ${limit} tokens, the messages have ${tokens} tokens`,
  };
}
