import { describe, expect, it } from 'vitest';
import { answer, sse } from '../../../test/answer.ts';
import { messages } from './index.ts';

describe('Anthropic messages', () => {
  it('streams as Anthropic does', () => {
    expect(sse(messages.frames(answer(), { reportUsage: true }))).toMatchInlineSnapshot(`
      "event: message_start
      data: {"type":"message_start","message":{"id":"demo-1","type":"message","role":"assistant","model":"demo","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":10,"cache_creation_input_tokens":0,"cache_read_input_tokens":128,"output_tokens":1}}}

      event: ping
      data: {"type":"ping"}

      event: content_block_start
      data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}

      event: content_block_delta
      data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Hm."}}

      event: content_block_delta
      data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"c2NyaXB0ZWQ="}}

      event: content_block_stop
      data: {"type":"content_block_stop","index":0}

      event: content_block_start
      data: {"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}

      event: content_block_delta
      data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Two"}}

      event: content_block_delta
      data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":" words"}}

      event: content_block_stop
      data: {"type":"content_block_stop","index":1}

      event: content_block_start
      data: {"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"call_1","name":"read","input":{}}}

      event: content_block_delta
      data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\\"filePath\\":\\"/repo/READM"}}

      event: content_block_delta
      data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"E.md\\"}"}}

      event: content_block_stop
      data: {"type":"content_block_stop","index":2}

      event: message_delta
      data: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":25}}

      event: message_stop
      data: {"type":"message_stop"}

      "
    `);
  });

  it('answers in one body', () => {
    expect(messages.body(answer())).toMatchInlineSnapshot(`
      {
        "content": [
          {
            "signature": "c2NyaXB0ZWQ=",
            "thinking": "Hm.",
            "type": "thinking",
          },
          {
            "text": "Two words",
            "type": "text",
          },
          {
            "id": "call_1",
            "input": {
              "filePath": "/repo/README.md",
            },
            "name": "read",
            "type": "tool_use",
          },
        ],
        "id": "demo-1",
        "model": "demo",
        "role": "assistant",
        "stop_reason": "tool_use",
        "stop_sequence": null,
        "type": "message",
        "usage": {
          "cache_creation_input_tokens": 0,
          "cache_read_input_tokens": 128,
          "input_tokens": 10,
          "output_tokens": 25,
        },
      }
    `);
  });

  it('separates results of calls from the user’s text', () => {
    const parsed = messages.parse({
      model: 'demo',
      max_tokens: 100,
      system: [{ type: 'text', text: 'be good', cache_control: { type: 'ephemeral' } }],
      messages: [
        { role: 'user', content: 'hi' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm', signature: 's' },
            { type: 'text', text: 'I read.' },
            { type: 'tool_use', id: 't', name: 'read', input: { a: 1 } },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: 'result' }] },
            { type: 'text', text: 'and?' },
          ],
        },
      ],
    });
    expect(parsed).toMatchObject({ system: 'be good', writesCache: true });
    expect(parsed.messages).toEqual([
      { role: 'user', text: 'hi', attachments: 0 },
      {
        role: 'assistant',
        text: 'I read.',
        reasoning: 'hm',
        calls: [{ id: 't', name: 'read', input: { a: 1 } }],
      },
      { role: 'tool', callId: 't', text: 'result' },
      { role: 'user', text: 'and?', attachments: 0 },
    ]);
  });

  it.each([
    [529, 'overloaded_error'],
    [403, 'permission_error'],
    [500, 'api_error'],
  ])('names an error of status %i', (status, type) => {
    const failure = { status, kind: 'server-error', message: 'x' } as const;
    expect(messages.errorBody(failure)).toEqual({ type: 'error', error: { type, message: 'x' } });
  });
});
