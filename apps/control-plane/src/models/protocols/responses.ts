import type { TokenUsage } from '@ship/core';
import { openAiError } from './openai-error.ts';
import type { JsonObject, Meter, PreparedCall, WireProtocol } from './protocol.ts';
import {
  charsAt,
  countAt,
  joinedTexts,
  listAt,
  modelIn,
  objectAt,
  refuseFields,
  refuseTools,
  refuseValue,
} from './read.ts';

/** These run where the agent is. */
const CLIENT_TOOLS = new Set(['function', 'custom', 'local_shell', 'apply_patch', 'shell']);

/** OpenAI's responses. */
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
    // Nobody comes back to it.
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

function prepare(body: JsonObject): PreparedCall {
  refuseFields(body, ['previous_response_id', 'conversation', 'prompt']);
  refuseTools(body, (type) => CLIENT_TOOLS.has(type));
  refuseValue(body, 'background', [true]);
  refuseValue(body, 'service_tier', ['priority', 'fast']);
  return {
    modelId: modelIn(body),
    body,
    isStream: body['stream'] === true,
    answers: 1,
    maxAnswerTokens: countAt(body, 'max_output_tokens') ?? null,
  };
}

class ResponsesMeter implements Meter {
  #usage: JsonObject | undefined;
  #answerChars = 0;

  onEvent(event: JsonObject): void {
    // `completed`, `incomplete` and `failed` all carry the response with its usage.
    this.#usage = objectAt(objectAt(event, 'response'), 'usage') ?? this.#usage;
    if (String(event['type']).endsWith('.delta')) this.#answerChars += charsAt(event, 'delta');
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
    return { prompt: undefined, answerChars: this.#answerChars };
  }
}

/** `input_tokens` includes what came from the cache, and `output_tokens` what was thought. */
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
