import type { TokenUsage } from '@ship/core';
import { readMessagesRequest } from './messages-request.ts';
import type { GatewayError, JsonObject, Meter, PreparedCall, WireProtocol } from './protocol.ts';
import {
  bytesAt,
  countAt,
  joinedTexts,
  listAt,
  modelIn,
  objectAt,
  refuseFields,
  refuseValue,
} from './read.ts';

/** Anthropic's messages protocol. */
export const messages: WireProtocol = {
  name: 'anthropic-messages',
  path: 'messages',
  prepare,
  meter: () => new MessagesMeter(),
  question: (model, { system, text, maxAnswerTokens }) => ({
    model,
    max_tokens: maxAnswerTokens,
    system,
    messages: [{ role: 'user', content: text }],
  }),
  // Thinking blocks have no `text` field and are skipped.
  answerIn: (body) => joinedTexts(listAt(body, 'content')),
  errorBody: messagesError,
  errorEvent: (error) => `event: error\ndata: ${JSON.stringify(messagesError(500, error))}\n\n`,
};

function prepare(input: JsonObject): PreparedCall {
  refuseFields(input, ['mcp_servers', 'container', 'inference_geo']);
  refuseValue(input, 'speed', ['fast']);
  const { body, media } = readMessagesRequest(input);
  return {
    modelId: modelIn(body),
    body,
    isStream: body['stream'] === true,
    answers: 1,
    media,
    maxAnswerTokens: countAt(body, 'max_tokens') || null,
  };
}

class MessagesMeter implements Meter {
  #counts: Record<string, number> = {};
  #isFinal = false;
  #answerBytes = 0;

  onEvent(event: JsonObject): void {
    switch (event['type']) {
      case 'message_start':
        this.#take(objectAt(objectAt(event, 'message'), 'usage'));
        break;
      case 'content_block_delta':
        this.#answerBytes += bytesAt(objectAt(event, 'delta'), 'text', 'thinking', 'partial_json');
        break;
      case 'message_delta':
        this.#take(objectAt(event, 'usage'));
        this.#isFinal = true;
        break;
    }
  }

  onBody(body: JsonObject): void {
    const usage = objectAt(body, 'usage');
    this.#take(usage);
    this.#isFinal = usage !== undefined;
  }

  usage(): TokenUsage | undefined {
    return this.#isFinal ? this.#read() : undefined;
  }

  reportedMicros(): undefined {
    return undefined;
  }

  /** Prompt usage arrives first, so it is known even when the answer is cut off. */
  soFar() {
    const hasPrompt = this.#counts['input_tokens'] !== undefined;
    const prompt = hasPrompt ? { ...this.#read(), outputTokens: 0 } : undefined;
    return { prompt, answerBytes: this.#answerBytes };
  }

  /** Counts are cumulative: those of a later event replace earlier ones. */
  #take(usage: JsonObject | undefined): void {
    for (const key of Object.keys(usage ?? {})) {
      const value = countAt(usage, key);
      if (value !== undefined) this.#counts[key] = value;
    }
  }

  /** `input_tokens` excludes cached tokens; `output_tokens` includes reasoning tokens. */
  #read(): TokenUsage {
    return {
      inputTokens: this.#counts['input_tokens'] ?? 0,
      cacheReadTokens: this.#counts['cache_read_input_tokens'] ?? 0,
      cacheWriteTokens: this.#counts['cache_creation_input_tokens'] ?? 0,
      outputTokens: this.#counts['output_tokens'] ?? 0,
      reasoningTokens: 0,
    };
  }
}

const TYPES: Partial<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

function messagesError(status: number, { code, message }: GatewayError): JsonObject {
  const type = TYPES[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error');
  return { type: 'error', error: { type, message, code } };
}
