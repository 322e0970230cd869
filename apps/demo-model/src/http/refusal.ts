/** Why a request gets an HTTP error instead of an answer, in the words of providers: agents recognise some by their text. */
import type { Failure } from '../answer.ts';
import type { Conversation } from '../conversation.ts';
import { promptTokens } from '../ledger/tokens.ts';
import type { Direction } from '../script/direct.ts';
import type { Fault } from '../script/fault.ts';
import type { ModelSpec, Script } from '../script/script.ts';

const DEFAULT_RETRY_AFTER_SEC = 1;
export const SERVER_ERROR = 'The server had an error while processing your request';

/** null when the request is to be answered. */
export function refusalFor(
  script: Script,
  conversation: Conversation,
  direction: Direction,
  model: ModelSpec,
  fault: Fault | null,
): Failure | null {
  const tokens = promptTokens(conversation);
  const limit = model.contextTokens;
  const asked = fault === null ? null : refusalOf(fault, { tokens, limit });
  if (asked !== null) return asked;
  if (tokens > limit) return overflow(tokens, limit);
  if (direction.rule !== null) return null;
  const rules = script.rules.map((rule) => rule.name).join(', ') || 'none';
  return {
    status: 400,
    kind: 'invalid-request',
    message: `No rule of the script "${script.name}" matches this prompt; its rules: ${rules}`,
  };
}

export function unknownModel(script: Script, model: string): Failure {
  const known = script.models.map((spec) => spec.id).join(', ');
  return {
    status: 404,
    kind: 'unknown-model',
    message: `The model \`${model}\` does not exist; this server has: ${known}`,
  };
}

export function wrongKey(message = 'Incorrect API key provided'): Failure {
  return { status: 401, kind: 'unauthorized', message };
}

function refusalOf(fault: Fault, context: { tokens: number; limit: number }): Failure | null {
  switch (fault.kind) {
    case 'rate-limit':
      return {
        status: 429,
        kind: 'rate-limit',
        message: fault.message ?? 'Rate limit reached for requests',
        retryAfterSec: fault.retryAfterSec ?? DEFAULT_RETRY_AFTER_SEC,
      };
    case 'server-error':
      return { status: 500, kind: 'server-error', message: fault.message ?? SERVER_ERROR };
    case 'unauthorized':
      return wrongKey(fault.message);
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
function overflow(tokens: number, limit: number, message?: string): Failure {
  return {
    status: 400,
    kind: 'context-overflow',
    message:
      message ??
      `prompt is too long: this model's maximum context length is ${limit} tokens, the messages have ${tokens} tokens`,
  };
}
