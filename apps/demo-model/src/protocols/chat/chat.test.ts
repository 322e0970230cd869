import { describe, expect, it } from 'vitest';
import { answer, sse } from '../../../test/answer.ts';
import { chat } from './index.ts';

describe('chat-completions', () => {
  it('streams as OpenAI does', () => {
    expect(sse(chat.frames(answer(), { reportUsage: true }))).toMatchInlineSnapshot(`
      "data: {"id":"demo-1","object":"chat.completion.chunk","created":1700000000,"model":"demo","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}

      data: {"id":"demo-1","object":"chat.completion.chunk","created":1700000000,"model":"demo","choices":[{"index":0,"delta":{"reasoning_content":"Hm."},"finish_reason":null}]}

      data: {"id":"demo-1","object":"chat.completion.chunk","created":1700000000,"model":"demo","choices":[{"index":0,"delta":{"content":"Two"},"finish_reason":null}]}

      data: {"id":"demo-1","object":"chat.completion.chunk","created":1700000000,"model":"demo","choices":[{"index":0,"delta":{"content":" words"},"finish_reason":null}]}

      data: {"id":"demo-1","object":"chat.completion.chunk","created":1700000000,"model":"demo","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"read","arguments":""}}]},"finish_reason":null}]}

      data: {"id":"demo-1","object":"chat.completion.chunk","created":1700000000,"model":"demo","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\\"filePath\\":\\"/repo/READM"}}]},"finish_reason":null}]}

      data: {"id":"demo-1","object":"chat.completion.chunk","created":1700000000,"model":"demo","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"E.md\\"}"}}]},"finish_reason":null}]}

      data: {"id":"demo-1","object":"chat.completion.chunk","created":1700000000,"model":"demo","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}

      data: {"id":"demo-1","object":"chat.completion.chunk","created":1700000000,"model":"demo","choices":[],"usage":{"prompt_tokens":138,"completion_tokens":25,"total_tokens":163,"prompt_tokens_details":{"cached_tokens":128},"completion_tokens_details":{"reasoning_tokens":5}}}

      data: [DONE]

      "
    `);
  });

  it('reports usage in a stream only on request', () => {
    expect(sse(chat.frames(answer(), { reportUsage: false }))).not.toContain('usage');
  });

  it('answers in one body', () => {
    expect(chat.body(answer())).toMatchInlineSnapshot(`
      {
        "choices": [
          {
            "finish_reason": "tool_calls",
            "index": 0,
            "message": {
              "content": "Two words",
              "reasoning_content": "Hm.",
              "role": "assistant",
              "tool_calls": [
                {
                  "function": {
                    "arguments": "{"filePath":"/repo/README.md"}",
                    "name": "read",
                  },
                  "id": "call_1",
                  "type": "function",
                },
              ],
            },
          },
        ],
        "created": 1700000000,
        "id": "demo-1",
        "model": "demo",
        "object": "chat.completion",
        "usage": {
          "completion_tokens": 25,
          "completion_tokens_details": {
            "reasoning_tokens": 5,
          },
          "prompt_tokens": 138,
          "prompt_tokens_details": {
            "cached_tokens": 128,
          },
          "total_tokens": 163,
        },
      }
    `);
  });

  it('gives each parallel call its own index and joins its fragments to its arguments', () => {
    const calls = ['a', 'b'].map((name) => ({
      id: `call_${name}`,
      name,
      argumentsJson: JSON.stringify({ text: `${name} "quoted" 😀 `.repeat(9) }),
    }));
    const joined = ['', ''];
    for (const frame of chat.frames(answer({ calls }), { reportUsage: false })) {
      if (frame.sse.includes('[DONE]')) continue;
      const chunk = JSON.parse(frame.sse.slice('data: '.length)) as {
        choices: { delta: { tool_calls?: { index: number; function: { arguments: string } }[] } }[];
      };
      for (const call of chunk.choices[0]?.delta.tool_calls ?? []) {
        joined[call.index] += call.function.arguments;
      }
    }
    expect(joined).toEqual(calls.map((call) => call.argumentsJson));
  });

  it('reads a conversation with calls and results', () => {
    const parsed = chat.parse({
      model: 'demo',
      stream: true,
      messages: [
        { role: 'system', content: 'be good' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'hi' },
            { type: 'image_url', image_url: {} },
          ],
        },
        {
          role: 'assistant',
          content: null,
          reasoning_content: 'hm',
          tool_calls: [
            { id: 'c', type: 'function', function: { name: 'read', arguments: '{"a":1}' } },
            { id: 'd', type: 'function', function: { name: 'read', arguments: '{"a"' } },
          ],
        },
        { role: 'tool', tool_call_id: 'c', content: 'result' },
      ],
      tools: [{ type: 'function', function: { name: 'read', parameters: {} } }],
    });
    expect(parsed).toMatchObject({ system: 'be good', stream: true, reportUsage: false });
    expect(parsed.tools.map((tool) => tool.name)).toEqual(['read']);
    expect(parsed.messages).toEqual([
      { role: 'user', text: 'hi', attachments: 1 },
      {
        role: 'assistant',
        text: '',
        reasoning: 'hm',
        calls: [
          { id: 'c', name: 'read', input: { a: 1 } },
          { id: 'd', name: 'read', input: '{"a"' },
        ],
      },
      { role: 'tool', callId: 'c', text: 'result' },
    ]);
  });

  it.each([
    {},
    { model: 'demo' },
    { model: 'demo', messages: [] },
    { model: 'demo', messages: [{ role: 'x' }] },
    null,
  ])('refuses %j', (body) => expect(() => chat.parse(body)).toThrow());
});
