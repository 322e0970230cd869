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

/** Recorded from providers; ids shortened. */
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

describe('metering by reported usage', () => {
  it('[MT1] chat-completions: cached and reasoning tokens are counted separately and only once', () => {
    expect(meterOf(chat, CHAT_STREAM).usage()).toEqual({
      inputTokens: 86,
      cacheReadTokens: 1920,
      cacheWriteTokens: 0,
      outputTokens: 172,
      reasoningTokens: 128,
    });
  });

  it('[MT1] messages: cached tokens are separate from the input, and later counts replace earlier ones', () => {
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

  it('[MT1] non-streamed responses are read like streams', () => {
    const usage = { input_tokens: 5, output_tokens: 7 };
    expect(meterBody(messages, { usage }).usage()).toMatchObject({
      inputTokens: 5,
      outputTokens: 7,
    });
    expect(meterBody(responses, { usage: RESPONSES_USAGE }).usage()?.reasoningTokens).toBe(32);
    const chatUsage = { prompt_tokens: 9, completion_tokens: 2 };
    expect(meterBody(chat, { usage: chatUsage }).usage()).toMatchObject({ inputTokens: 9 });
  });

  it('[MT1] variants of other servers', () => {
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
    // Here reasoning is separate from the completion.
    const separate = {
      prompt_tokens: 10,
      completion_tokens: 5,
      total_tokens: 35,
      completion_tokens_details: { reasoning_tokens: 20 },
    };
    expect(meterBody(chat, { usage: separate }).usage()).toMatchObject({
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

  it('[MT2] a truncated answer has no usage, but reports its bytes and, if known, the prompt', () => {
    const cutChat = meterOf(chat, CHAT_STREAM.slice(0, -2));
    expect(cutChat.usage()).toBeUndefined();
    expect(cutChat.soFar()).toEqual({ prompt: undefined, answerBytes: 11 + 5 + 2 + 7 });
    const cutMessages = meterOf(messages, MESSAGES_STREAM.slice(0, 5));
    expect(cutMessages.usage()).toBeUndefined();
    expect(cutMessages.soFar()).toEqual({
      prompt: { ...NO_TOKENS, inputTokens: 12, cacheReadTokens: 1800, cacheWriteTokens: 248 },
      answerBytes: 2 + 5 + 2,
    });
  });

  it('[MT2] running usage is not treated as final', () => {
    const usage = { prompt_tokens: 9, completion_tokens: 1 };
    const first = { choices: [{ index: 0, delta: { content: 'a' }, finish_reason: null }], usage };
    expect(meterOf(chat, [first]).usage()).toBeUndefined();
    const last = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage };
    expect(meterOf(chat, [first, last]).usage()).toMatchObject({ inputTokens: 9 });
    const begun = { type: 'response.in_progress', response: { usage: RESPONSES_USAGE } };
    expect(meterOf(responses, [begun]).usage()).toBeUndefined();
  });

  it('[MT3] invalid usage is ignored, and negative or invalid counts are not trusted', () => {
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

describe('prepare', () => {
  it('[GM4] a chat stream always requests usage, even against the client’s options', () => {
    const options = { include_usage: false, other: 1 };
    const { body } = prepare(chat, { stream: true, stream_options: options });
    expect(body['stream_options']).toEqual({ include_usage: true });
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
    [messages, { tools: [{ type: 'bash_20250124' }] }],
    [responses, { tools: [{ type: 'shell' }] }],
    [chat, { max_tokens: '90000' }],
    [chat, { messages: [{ role: 'function', content: 'x' }] }],
    [
      messages,
      { system: [{ type: 'text', text: 'x', cache_control: { type: 'ephemeral', ttl: '1h' } }] },
    ],
  ])('[GM5] actions of the provider are refused: %o %o', (protocol, body) => {
    expect(() => prepare(protocol, body)).toThrow(ShipFailure);
  });

  it('client tools pass', () => {
    const tools = [{ type: 'function', function: {} }];
    expect(prepare(chat, { tools, tool_choice: 'auto' }).body['tools']).toEqual(tools);
    expect(prepare(messages, { tools: [{ name: 'ls' }, { type: 'custom' }] })).toBeDefined();
    expect(prepare(responses, { tools: [{ type: 'function' }, { type: 'custom' }] })).toBeDefined();
  });

  it('reads the answer limit', () => {
    expect(prepare(chat, { max_tokens: 10, n: 3 }).maxAnswerTokens).toBe(30);
    expect(prepare(chat, { max_completion_tokens: 5, max_tokens: 9 }).maxAnswerTokens).toBe(9);
    expect(prepare(chat, { max_tokens: 0, n: 0 })).toMatchObject({
      maxAnswerTokens: null,
      answers: 1,
    });
    expect(prepare(messages, { max_tokens: 8 }).maxAnswerTokens).toBe(8);
    expect(prepare(responses, { max_output_tokens: 6 }).maxAnswerTokens).toBe(6);
    expect(prepare(responses, {}).maxAnswerTokens).toBeNull();
  });
});

const PICTURE = `data:image/png;base64,${'iVBORw0KGgo='.repeat(10)}`;
const DATA = PICTURE.slice(PICTURE.indexOf(',') + 1);

/** Requests as OpenCode sends them, with the parts of earlier answers that providers require back. */
const CONVERSATIONS: [WireProtocol, JsonObject, { pictures: number; documents: number }][] = [
  [
    chat,
    {
      messages: [
        { role: 'system', content: 'Be brief.', cache_control: { type: 'ephemeral' } },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image_url', image_url: { url: PICTURE } },
          ],
        },
        {
          role: 'assistant',
          content: '',
          reasoning_content: 'Hm.',
          tool_calls: [
            {
              id: 'c',
              type: 'function',
              function: { name: 'read', arguments: '{}' },
              extra_content: { google: { thought_signature: 's' } },
            },
          ],
        },
        { role: 'tool', tool_call_id: 'c', content: 'text' },
      ],
      max_tokens: 9,
      temperature: 0,
      reasoning_effort: 'high',
    },
    { pictures: 1, documents: 0 },
  ],
  [
    messages,
    {
      system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
      messages: [
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm.', signature: 's' },
            { type: 'redacted_thinking', data: 'd' },
            { type: 'tool_use', id: 't', name: 'read', input: { type: 'image', a: [1] } },
          ],
        },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 't',
              content: [
                { type: 'text', text: 'It is a picture.' },
                { type: 'image', source: { type: 'base64', media_type: 'image/png', data: DATA } },
              ],
              is_error: false,
            },
            {
              type: 'document',
              source: { type: 'base64', media_type: 'application/pdf', data: DATA },
            },
          ],
        },
      ],
      tools: [{ name: 'read', description: 'd', input_schema: { type: 'object' } }],
      tool_choice: { type: 'auto' },
      thinking: { type: 'enabled', budget_tokens: 1_000 },
      max_tokens: 9,
    },
    { pictures: 1, documents: 1 },
  ],
  [
    responses,
    {
      instructions: 'Be brief.',
      input: [
        { role: 'developer', content: 'x' },
        { role: 'user', content: [{ type: 'input_image', image_url: PICTURE }] },
        { type: 'reasoning', id: 'rs', encrypted_content: 'e', summary: [] },
        { type: 'function_call', call_id: 'c', name: 'read', arguments: '{}', id: 'fc' },
        {
          type: 'function_call_output',
          call_id: 'c',
          output: [
            { type: 'input_text', text: 'x' },
            { type: 'input_image', image_url: PICTURE },
          ],
        },
        { role: 'assistant', id: 'msg', content: [{ type: 'output_text', text: 'Yes.' }] },
      ],
      tools: [{ type: 'function', name: 'read', parameters: { type: 'object' }, strict: false }],
      include: ['reasoning.encrypted_content'],
      reasoning: { effort: 'medium', summary: 'auto' },
      text: { verbosity: 'low' },
      prompt_cache_key: 'ses_1',
      store: false,
    },
    { pictures: 2, documents: 0 },
  ],
];

const withPicture = (url: string) => ({
  messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }],
});

describe('request content', () => {
  it.each(CONVERSATIONS)(
    '[GM13] $name: a real conversation passes unchanged',
    (protocol, body, media) => {
      const prepared = prepare(protocol, body);
      expect(prepared.body).toEqual({ model: 'm', ...body });
      expect(prepared.media).toMatchObject(media);
    },
  );

  it('[GM13] unknown fields are dropped, and nothing is stored at the provider', () => {
    const odd = { metadata: { a: 1 }, user: 'u', store: true, provider: { order: ['dear'] } };
    for (const protocol of [chat, messages, responses])
      expect(prepare(protocol, odd).body).toEqual({
        model: 'm',
        ...(protocol === responses && { store: false }),
      });
  });

  it('[MT6] base64 text counts as a picture only in picture parts', () => {
    const looksLike = {
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: DATA },
    };
    const input = {
      role: 'assistant',
      content: [{ type: 'tool_use', id: 't', name: 'x', input: looksLike }],
    };
    expect(prepare(messages, { messages: [input] }).media.pictures).toBe(0);
    const text = { role: 'user', content: [{ type: 'text', text: PICTURE }] };
    expect(prepare(chat, { messages: [text] }).media.pictures).toBe(0);
  });

  it('[MT5] a request of megabytes is validated in linear time', () => {
    const large = `data:image/png;base64,${'aB1+'.repeat(3_000_000)}`;
    expect(prepare(chat, withPicture(large)).media).toEqual({
      pictures: 1,
      pictureBytes: large.length,
      documents: 0,
    });
    for (const slow of [
      `${large}!`,
      `data:image/png${';a'.repeat(6_000_000)}`,
      'data:'.repeat(1e6),
    ])
      expect(() => prepare(chat, withPicture(slow))).toThrow(ShipFailure);
  });

  it('[GM13] names what was refused', () => {
    const image = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } };
    expect(() => prepare(chat, { messages: [{ role: 'user', content: [image] }] })).toThrow(
      'does not allow "image_url" as it is in "messages.content',
    );
  });
});

describe('Ship errors', () => {
  const error = { code: 'budget-exhausted', message: 'spent' };

  it('[GM1] have the provider’s format, with Ship’s code in it', () => {
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

  it.each([chat, messages, responses])(
    '$name: are one complete event within a stream',
    (protocol) => {
      expect(protocol.errorEvent(error)).toMatch(/^(event: error\n)?data: \{.*\}\n\n$/);
    },
  );
});
