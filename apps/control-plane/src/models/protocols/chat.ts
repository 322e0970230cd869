import type { TokenUsage } from '@ship/core';
import { readChatRequest } from './chat-request.ts';
import { openAiError } from './openai-error.ts';
import type { JsonObject, Meter, PreparedCall, WireProtocol } from './protocol.ts';
import {
  bytesAt,
  countAt,
  isObject,
  listAt,
  modelIn,
  objectAt,
  refuseFields,
  refuseValue,
  textAt,
} from './read.ts';

const MICROS_PER_USD = 1_000_000;

/** OpenAI's chat-completions protocol, which most servers speak. */
export const chat: WireProtocol = {
  name: 'openai-chat',
  path: 'chat/completions',
  prepare,
  meter: () => new ChatMeter(),
  question: (model, { system, text, maxAnswerTokens }) => ({
    model,
    max_tokens: maxAnswerTokens,
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: text },
    ],
  }),
  answerIn: (body) => textAt(objectAt(listAt(body, 'choices')[0], 'message'), 'content'),
  errorBody: openAiError,
  errorEvent: (error) => `data: ${JSON.stringify(openAiError(500, error))}\n\n`,
};

function prepare(input: JsonObject, { askCost }: { askCost: boolean }): PreparedCall {
  refuseFields(input, ['models', 'route', 'plugins', 'web_search_options', 'transforms']);
  refuseFields(input, ['audio', 'prediction']);
  refuseValue(input, 'service_tier', ['priority', 'fast']);
  const { body, media } = readChatRequest(input);
  const isStream = body['stream'] === true;
  const answers = Math.max(1, countAt(body, 'n') ?? 1);
  // Each server uses one of the two, and it is unknown which.
  const perAnswer = Math.max(
    countAt(body, 'max_completion_tokens') ?? 0,
    countAt(body, 'max_tokens') ?? 0,
  );
  return {
    modelId: modelIn(body),
    isStream,
    answers,
    media,
    maxAnswerTokens: perAnswer === 0 ? null : perAnswer * answers,
    body: {
      ...body,
      // Without this a stream reports no usage.
      ...(isStream && {
        stream_options: { ...objectAt(body, 'stream_options'), include_usage: true },
      }),
      ...(askCost && { usage: { include: true } }),
    },
  };
}

class ChatMeter implements Meter {
  #usage: JsonObject | undefined;
  /** Some servers report running usage with every chunk: only usage with or after the end is final. */
  #isFinal = false;
  #answerBytes = 0;

  onEvent(event: JsonObject): void {
    const choices = listAt(event, 'choices');
    const hasEnded = choices.some((choice) => textAt(choice, 'finish_reason') !== '');
    const usage = objectAt(event, 'usage');
    if (usage !== undefined) {
      this.#usage = usage;
      this.#isFinal ||= hasEnded || choices.length === 0;
    }
    for (const choice of choices) {
      const delta = objectAt(choice, 'delta');
      this.#answerBytes += bytesAt(delta, 'content', 'reasoning_content', 'reasoning');
      for (const call of listAt(delta, 'tool_calls'))
        this.#answerBytes += bytesAt(objectAt(call, 'function'), 'name', 'arguments');
    }
  }

  onBody(body: JsonObject): void {
    this.#usage = objectAt(body, 'usage');
    this.#isFinal = true;
  }

  usage(): TokenUsage | undefined {
    return this.#usage === undefined || !this.#isFinal ? undefined : readUsage(this.#usage);
  }

  /** OpenRouter's `cost`, plus the upstream charge when the customer uses their own key. */
  reportedMicros(): number | undefined {
    const cost = this.#usage?.['cost'];
    if (typeof cost !== 'number' || !(cost >= 0)) return undefined;
    const details = objectAt(this.#usage, 'cost_details');
    const upstream = isObject(details) ? details['upstream_inference_cost'] : undefined;
    const isOwnKey =
      this.#usage?.['is_byok'] === true && typeof upstream === 'number' && upstream >= 0;
    return Math.round((cost + (isOwnKey ? upstream : 0)) * MICROS_PER_USD);
  }

  soFar() {
    return { prompt: undefined, answerBytes: this.#answerBytes };
  }
}

/** `prompt_tokens` includes cached tokens, and `completion_tokens` usually includes reasoning tokens. */
function readUsage(usage: JsonObject): TokenUsage {
  const prompt = countAt(usage, 'prompt_tokens') ?? 0;
  const completion = countAt(usage, 'completion_tokens') ?? 0;
  const promptDetails = objectAt(usage, 'prompt_tokens_details');
  const cacheReadTokens =
    countAt(promptDetails, 'cached_tokens') ?? countAt(usage, 'prompt_cache_hit_tokens') ?? 0;
  const cacheWriteTokens = countAt(promptDetails, 'cache_write_tokens') ?? 0;
  const reasoningTokens =
    countAt(objectAt(usage, 'completion_tokens_details'), 'reasoning_tokens') ?? 0;
  // Some servers count reasoning separately from the completion, which their total reveals.
  const isSeparate = countAt(usage, 'total_tokens') === prompt + completion + reasoningTokens;
  return {
    inputTokens: Math.max(0, prompt - cacheReadTokens - cacheWriteTokens),
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens: isSeparate ? completion : Math.max(0, completion - reasoningTokens),
    reasoningTokens,
  };
}
