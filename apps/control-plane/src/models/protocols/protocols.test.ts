import { NO_TOKENS } from '@ship/core';
import { ShipFailure } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { chat } from './chat.ts';
import { messages } from './messages.ts';
import type { JsonObject, WireProtocol } from './protocol.ts';
import { responses } from './responses.ts';

function meterOf(protocol: WireProtocol, events: JsonObject[]) {
  const meter = protocol.meter();
  for (const event of events) meter.onEvent(event);
  return meter;
}

function meterBody(protocol: WireProtocol, body: JsonObject) {
  const meter = protocol.meter();
  meter.onBody(body);
  return meter;
}

/** As providers sent them; ids shortened. */
const CHAT_STREAM: JsonObject[] = [
  { choices: [{ index: 0, delta: { role: 'assistant', content: '' } }], usage: null },
  { choices: [{ index: 0, delta: { reasoning_content: 'Let me see.' } }], usage: null },
  { choices: [{ index: 0, delta: { content: 'Hello' } }], usage: null },
  {
    choices: [
      {
        index: 0,
        delta: { tool_calls: [{ index: 0, function: { name: 'ls', arguments: '{"a":1}' } }] },
      },
    ],
  },
  { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }], usage: null },
  {
    choices: [],
    usage: {
      prompt_tokens: 2006,
      completion_tokens: 300,
      total_tokens: 2306,
      prompt_tokens_details: { cached_tokens: 1920, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 128, accepted_prediction_tokens: 0 },
    },
  },
];

const MESSAGES_STREAM: JsonObject[] = [
  {
    type: 'message_start',
    message: {
      usage: {
        input_tokens: 12,
        cache_creation_input_tokens: 248,
        cache_read_input_tokens: 1800,
        cache_creation: { ephemeral_5m_input_tokens: 248, ephemeral_1h_input_tokens: 0 },
        output_tokens: 1,
        service_tier: 'standard',
      },
    },
  },
  { type: 'ping' },
  { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm' } },
  { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'Hello' } },
  {
    type: 'content_block_delta',
    index: 2,
    delta: { type: 'input_json_delta', partial_json: '{}' },
  },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 503 } },
  { type: 'message_stop' },
];

const RESPONSES_USAGE = {
  input_tokens: 328,
  input_tokens_details: { cached_tokens: 128 },
  output_tokens: 52,
  output_tokens_details: { reasoning_tokens: 32 },
  total_tokens: 380,
};

describe('metering by the provider’s own account', () => {
  it('[MT1] chat-completions: cached and thought tokens are counted apart and not twice', () => {
    expect(meterOf(chat, CHAT_STREAM).usage()).toEqual({
      inputTokens: 86,
      cacheReadTokens: 1920,
      cacheWriteTokens: 0,
      outputTokens: 172,
      reasoningTokens: 128,
    });
  });

  it('[MT1] messages: what was cached is beside the input, and later counts replace earlier ones', () => {
    expect(meterOf(messages, MESSAGES_STREAM).usage()).toEqual({
      inputTokens: 12,
      cacheReadTokens: 1800,
      cacheWriteTokens: 248,
      outputTokens: 503,
      reasoningTokens: 0,
    });
  });

  it.each(['response.completed', 'response.incomplete', 'response.failed'])(
    '[MT1] responses: %s carries the usage',
    (type) => {
      const events = [
        { type: 'response.created', response: { usage: null } },
        { type: 'response.output_text.delta', delta: 'Hello' },
        { type, response: { usage: RESPONSES_USAGE } },
      ];
      expect(meterOf(responses, events).usage()).toEqual({
        inputTokens: 200,
        cacheReadTokens: 128,
        cacheWriteTokens: 0,
        outputTokens: 20,
        reasoningTokens: 32,
      });
    },
  );

  it('[MT1] whole answers are read like streams', () => {
    const usage = { input_tokens: 5, output_tokens: 7 };
    expect(meterBody(messages, { usage }).usage()).toMatchObject({
      inputTokens: 5,
      outputTokens: 7,
    });
    expect(meterBody(responses, { usage: RESPONSES_USAGE }).usage()?.reasoningTokens).toBe(32);
    const chatUsage = { prompt_tokens: 9, completion_tokens: 2 };
    expect(meterBody(chat, { usage: chatUsage }).usage()).toMatchObject({ inputTokens: 9 });
  });

  it('[MT1] other servers’ ways of saying the same', () => {
    const deepSeek = {
      prompt_tokens: 100,
      completion_tokens: 10,
      prompt_cache_hit_tokens: 64,
      prompt_cache_miss_tokens: 36,
    };
    expect(meterBody(chat, { usage: deepSeek }).usage()).toMatchObject({
      inputTokens: 36,
      cacheReadTokens: 64,
    });
    // Here the thinking is beside the completion.
    const beside = {
      prompt_tokens: 10,
      completion_tokens: 5,
      total_tokens: 35,
      completion_tokens_details: { reasoning_tokens: 20 },
    };
    expect(meterBody(chat, { usage: beside }).usage()).toMatchObject({
      outputTokens: 5,
      reasoningTokens: 20,
    });
    const openRouter = { prompt_tokens: 10, completion_tokens: 5, cost: 0.0123 };
    expect(meterBody(chat, { usage: openRouter }).reportedMicros()).toBe(12_300);
    const ownKey = {
      ...openRouter,
      is_byok: true,
      cost_details: { upstream_inference_cost: 0.1 },
    };
    expect(meterBody(chat, { usage: ownKey }).reportedMicros()).toBe(112_300);
  });

  it('[MT2] an answer that broke off has no usage, but says what it wrote and, where it came, what it read', () => {
    const cutChat = meterOf(chat, CHAT_STREAM.slice(0, -2));
    expect(cutChat.usage()).toBeUndefined();
    expect(cutChat.soFar()).toEqual({ prompt: undefined, answerChars: 11 + 5 + 2 + 7 });
    const cutMessages = meterOf(messages, MESSAGES_STREAM.slice(0, 5));
    expect(cutMessages.usage()).toBeUndefined();
    expect(cutMessages.soFar()).toEqual({
      prompt: { ...NO_TOKENS, inputTokens: 12, cacheReadTokens: 1800, cacheWriteTokens: 248 },
      answerChars: 2 + 5 + 2,
    });
  });

  it('[MT3] nonsense is no usage, and negative or broken counts are not believed', () => {
    for (const protocol of [chat, messages, responses]) {
      expect(meterBody(protocol, { usage: 'much' }).usage()).toBeUndefined();
      expect(meterOf(protocol, [{}, { type: 5 }, { choices: 'x' }]).usage()).toBeUndefined();
    }
    const odd = { prompt_tokens: -5, completion_tokens: Number.NaN, total_tokens: 'x' };
    expect(meterBody(chat, { usage: odd }).usage()).toEqual(NO_TOKENS);
    const moreCachedThanRead = {
      prompt_tokens: 5,
      prompt_tokens_details: { cached_tokens: 50 },
    };
    expect(meterBody(chat, { usage: moreCachedThanRead }).usage()?.inputTokens).toBe(0);
  });
});

const prepare = (protocol: WireProtocol, body: JsonObject) =>
  protocol.prepare({ model: 'm', ...body }, { askCost: false });

describe('what is let through', () => {
  it('[GM4] a chat stream is asked for its usage, whatever the client says', () => {
    const options = { include_usage: false, other: 1 };
    const { body } = prepare(chat, { stream: true, stream_options: options });
    expect(body['stream_options']).toEqual({ include_usage: true, other: 1 });
    expect(prepare(chat, {}).body).not.toHaveProperty('stream_options');
    expect(chat.prepare({ model: 'm' }, { askCost: true }).body['usage']).toEqual({
      include: true,
    });
  });

  it.each<[WireProtocol, JsonObject]>([
    [chat, { models: ['dear'] }],
    [chat, { plugins: [{ id: 'web' }] }],
    [chat, { web_search_options: {} }],
    [chat, { tools: [{ type: 'web_search' }] }],
    [chat, { service_tier: 'priority' }],
    [responses, { previous_response_id: 'resp_of_another_session' }],
    [responses, { conversation: 'conv' }],
    [responses, { background: true }],
    [responses, { tools: [{ type: 'mcp', server_url: 'http://evil.test' }] }],
    [responses, { tools: [{ type: 'web_search' }] }],
    [responses, { tools: [{ type: 'code_interpreter' }] }],
    [messages, { mcp_servers: [{ url: 'http://evil.test' }] }],
    [messages, { tools: [{ type: 'web_fetch_20250910' }] }],
    [messages, { tools: [{ type: 'code_execution_20250825' }] }],
    [messages, { speed: 'fast' }],
    [messages, { model: 7 }],
  ])('[GM5] what the provider would do by itself is refused: %o %o', (protocol, body) => {
    expect(() => prepare(protocol, body)).toThrow(ShipFailure);
  });

  it('tools of the client pass', () => {
    const tools = [{ type: 'function', function: {} }];
    expect(prepare(chat, { tools, tool_choice: 'auto' }).body['tools']).toBe(tools);
    expect(prepare(messages, { tools: [{ name: 'ls' }, { type: 'bash_20250124' }] })).toBeDefined();
    expect(prepare(responses, { tools: [{ type: 'function' }, { type: 'custom' }] })).toBeDefined();
  });

  it('reads how much may be written', () => {
    expect(prepare(chat, { max_tokens: 10, n: 3 }).maxAnswerTokens).toBe(30);
    expect(prepare(chat, { max_completion_tokens: 5, max_tokens: 9 }).maxAnswerTokens).toBe(5);
    expect(prepare(messages, { max_tokens: 8 }).maxAnswerTokens).toBe(8);
    expect(prepare(responses, { max_output_tokens: 6 }).maxAnswerTokens).toBe(6);
    expect(prepare(responses, {}).maxAnswerTokens).toBeNull();
  });
});

describe('errors of ours', () => {
  const error = { code: 'budget-exhausted', message: 'spent' };

  it('[GM1] have the shape of the provider’s, with our code in it', () => {
    expect(chat.errorBody(402, error)).toEqual({
      error: {
        message: 'spent',
        type: 'insufficient_quota',
        param: null,
        code: 'budget-exhausted',
      },
    });
    expect(messages.errorBody(401, error)).toEqual({
      type: 'error',
      error: { type: 'authentication_error', message: 'spent', code: 'budget-exhausted' },
    });
  });

  it.each([chat, messages, responses])('$name: are one whole event within a stream', (protocol) => {
    expect(protocol.errorEvent(error)).toMatch(/^(event: error\n)?data: \{.*\}\n\n$/);
  });
});
