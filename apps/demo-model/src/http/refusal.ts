/** HTTP errors in the wording of providers, as agents recognize some by their text. */
import type { Failure } from '../answer.ts';
import type { Conversation } from '../conversation.ts';
import { promptTokens } from '../ledger/tokens.ts';
import type { SelectedReply } from '../script/select-reply.ts';
import type { Fault } from '../script/fault.ts';
import type { ModelSpec, Script } from '../script/script.ts';

const DEFAULT_RETRY_AFTER_SEC = 1;
export const SERVER_ERROR = 'The server had an error while processing your request';

/** The error for a request; null when it gets an answer. */
export function refusalFor(
  script: Script,
  conversation: Conversation,
  selected: SelectedReply,
  model: ModelSpec,
  fault: Fault | null,
): Failure | null {
  const tokens = promptTokens(conversation);
  const limit = model.contextTokens;
  const fromFault = fault === null ? null : refusalOf(fault, { tokens, limit });
  if (fromFault !== null) return fromFault;
  if (tokens > limit) return overflow(tokens, limit);
  if (selected.rule !== null) return null;
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

/** Contains the wording of both OpenAI and Anthropic: agents look for one or the other. */
function overflow(tokens: number, limit: number, message?: string): Failure {
  return {
    status: 400,
    kind: 'context-overflow',
    message:
      message ??
      `prompt is too long: this model's maximum context length is ${limit} tokens, the messages have ${tokens} tokens`,
  };
}
