import type { TokenUsage } from '@ship/core';
import { openAiError } from './openai-error.ts';
import { readResponsesRequest } from './responses-request.ts';
import type { JsonObject, Meter, PreparedCall, WireProtocol } from './protocol.ts';
import {
  bytesAt,
  countAt,
  joinedTexts,
  listAt,
  modelIn,
  objectAt,
  refuseFields,
  refuseValue,
  textAt,
} from './read.ts';

/** OpenAI's responses protocol. */
export const responses: WireProtocol = {
  name: 'openai-responses',
  path: 'responses',
  prepare,
  meter: () => new ResponsesMeter(),
  question: (model, { system, text, maxAnswerTokens }) => ({
    model,
    max_output_tokens: maxAnswerTokens,
    instructions: system,
    input: text,
    store: false,
  }),
  answerIn: (body) =>
    joinedTexts(listAt(body, 'output').flatMap((item) => listAt(item, 'content'))),
  errorBody: openAiError,
  errorEvent: (error) => {
    const data = { type: 'error', sequence_number: 0, ...error, param: null };
    return `event: error\ndata: ${JSON.stringify(data)}\n\n`;
  },
};

function prepare(input: JsonObject): PreparedCall {
  refuseFields(input, ['previous_response_id', 'conversation', 'prompt', 'context_management']);
  refuseValue(input, 'background', [true]);
  refuseValue(input, 'service_tier', ['priority', 'fast']);
  const { body, media } = readResponsesRequest(input);
  return {
    modelId: modelIn(body),
    body,
    isStream: body['stream'] === true,
    answers: 1,
    media,
    maxAnswerTokens: countAt(body, 'max_output_tokens') || null,
  };
}

class ResponsesMeter implements Meter {
  #usage: JsonObject | undefined;
  #answerBytes = 0;

  onEvent(event: JsonObject): void {
    const type = textAt(event, 'type');
    // Earlier events have at most running usage.
    if (/^response\.(completed|incomplete|failed)$/.test(type))
      this.#usage = objectAt(objectAt(event, 'response'), 'usage') ?? this.#usage;
    if (type.endsWith('.delta')) this.#answerBytes += bytesAt(event, 'delta');
  }

  onBody(body: JsonObject): void {
    this.#usage = objectAt(body, 'usage');
  }

  usage(): TokenUsage | undefined {
    return this.#usage === undefined ? undefined : readUsage(this.#usage);
  }

  reportedMicros(): undefined {
    return undefined;
  }

  soFar() {
    return { prompt: undefined, answerBytes: this.#answerBytes };
  }
}

/** `input_tokens` includes cached tokens, and `output_tokens` includes reasoning tokens. */
function readUsage(usage: JsonObject): TokenUsage {
  const input = countAt(usage, 'input_tokens') ?? 0;
  const output = countAt(usage, 'output_tokens') ?? 0;
  const inputDetails = objectAt(usage, 'input_tokens_details');
  const cacheReadTokens = countAt(inputDetails, 'cached_tokens') ?? 0;
  const cacheWriteTokens = countAt(inputDetails, 'cache_write_tokens') ?? 0;
  const reasoningTokens =
    countAt(objectAt(usage, 'output_tokens_details'), 'reasoning_tokens') ?? 0;
  return {
    inputTokens: Math.max(0, input - cacheReadTokens - cacheWriteTokens),
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens: Math.max(0, output - reasoningTokens),
    reasoningTokens,
  };
}
