import { describe, expect, it } from 'vitest';
import { answer, sse } from '../../../test/answer.ts';
import { responses } from './index.ts';

describe('OpenAI responses', () => {
  it('streams as OpenAI does', () => {
    expect(sse(responses.frames(answer({ text: '' }), { reportUsage: true })))
      .toMatchInlineSnapshot(`
      "event: response.created
      data: {"type":"response.created","sequence_number":0,"response":{"id":"resp_demo-1","object":"response","created_at":1700000000,"status":"in_progress","error":null,"incomplete_details":null,"model":"demo","output":[],"usage":null}}

      event: response.in_progress
      data: {"type":"response.in_progress","sequence_number":1,"response":{"id":"resp_demo-1","object":"response","created_at":1700000000,"status":"in_progress","error":null,"incomplete_details":null,"model":"demo","output":[],"usage":null}}

      event: response.output_item.added
      data: {"type":"response.output_item.added","sequence_number":2,"output_index":0,"item":{"type":"reasoning","id":"rs_demo-1","summary":[],"encrypted_content":null}}

      event: response.reasoning_summary_part.added
      data: {"type":"response.reasoning_summary_part.added","sequence_number":3,"item_id":"rs_demo-1","output_index":0,"summary_index":0,"part":{"type":"summary_text","text":""}}

      event: response.reasoning_summary_text.delta
      data: {"type":"response.reasoning_summary_text.delta","sequence_number":4,"item_id":"rs_demo-1","output_index":0,"summary_index":0,"delta":"Hm."}

      event: response.reasoning_summary_text.done
      data: {"type":"response.reasoning_summary_text.done","sequence_number":5,"item_id":"rs_demo-1","output_index":0,"summary_index":0,"text":"Hm."}

      event: response.reasoning_summary_part.done
      data: {"type":"response.reasoning_summary_part.done","sequence_number":6,"item_id":"rs_demo-1","output_index":0,"summary_index":0,"part":{"type":"summary_text","text":"Hm."}}

      event: response.output_item.done
      data: {"type":"response.output_item.done","sequence_number":7,"output_index":0,"item":{"type":"reasoning","id":"rs_demo-1","summary":[{"type":"summary_text","text":"Hm."}],"encrypted_content":null}}

      event: response.output_item.added
      data: {"type":"response.output_item.added","sequence_number":8,"output_index":1,"item":{"type":"function_call","id":"fc_demo-1_0","status":"in_progress","call_id":"call_1","name":"read","arguments":""}}

      event: response.function_call_arguments.delta
      data: {"type":"response.function_call_arguments.delta","sequence_number":9,"item_id":"fc_demo-1_0","output_index":1,"delta":"{\\"filePath\\":\\"/repo/READM"}

      event: response.function_call_arguments.delta
      data: {"type":"response.function_call_arguments.delta","sequence_number":10,"item_id":"fc_demo-1_0","output_index":1,"delta":"E.md\\"}"}

      event: response.function_call_arguments.done
      data: {"type":"response.function_call_arguments.done","sequence_number":11,"item_id":"fc_demo-1_0","output_index":1,"arguments":"{\\"filePath\\":\\"/repo/README.md\\"}"}

      event: response.output_item.done
      data: {"type":"response.output_item.done","sequence_number":12,"output_index":1,"item":{"type":"function_call","id":"fc_demo-1_0","status":"completed","call_id":"call_1","name":"read","arguments":"{\\"filePath\\":\\"/repo/README.md\\"}"}}

      event: response.completed
      data: {"type":"response.completed","sequence_number":13,"response":{"id":"resp_demo-1","object":"response","created_at":1700000000,"status":"completed","error":null,"incomplete_details":null,"model":"demo","output":[{"type":"reasoning","id":"rs_demo-1","summary":[{"type":"summary_text","text":"Hm."}],"encrypted_content":null},{"type":"function_call","id":"fc_demo-1_0","status":"completed","call_id":"call_1","name":"read","arguments":"{\\"filePath\\":\\"/repo/README.md\\"}"}],"usage":{"input_tokens":138,"input_tokens_details":{"cached_tokens":128},"output_tokens":25,"output_tokens_details":{"reasoning_tokens":5},"total_tokens":163}}}

      "
    `);
  });

  it('ends as incomplete when the answer is too long', () => {
    const frames = responses.frames(answer({ finish: 'length' }), { reportUsage: true });
    expect(frames.at(-1)?.sse).toContain('event: response.incomplete');
    expect(frames.at(-1)?.sse).toContain('"reason":"max_output_tokens"');
  });

  it('numbers its events without gaps', () => {
    const numbers = responses
      .frames(answer(), { reportUsage: true })
      .map((frame) => Number(/"sequence_number":(\d+)/.exec(frame.sse)?.[1]));
    expect(numbers).toEqual(numbers.map((_, index) => index));
  });

  it('joins the items of one step', () => {
    const parsed = responses.parse({
      model: 'demo',
      instructions: 'be good',
      input: [
        { role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
        { type: 'reasoning', id: 'r', summary: [{ type: 'summary_text', text: 'hm' }] },
        { role: 'assistant', content: [{ type: 'output_text', text: 'I read.' }] },
        { type: 'function_call', call_id: 'a', name: 'read', arguments: '{"x":1}' },
        { type: 'function_call', call_id: 'b', name: 'read', arguments: '{"x":2}' },
        { type: 'function_call_output', call_id: 'a', output: 'one' },
        { type: 'function_call_output', call_id: 'b', output: 'two' },
        { type: 'item_reference', id: 'x' },
      ],
    });
    expect(parsed.system).toBe('be good');
    expect(parsed.messages).toEqual([
      { role: 'user', text: 'hi', attachments: 0 },
      {
        role: 'assistant',
        text: 'I read.',
        reasoning: 'hm',
        calls: [
          { id: 'a', name: 'read', input: { x: 1 } },
          { id: 'b', name: 'read', input: { x: 2 } },
        ],
      },
      { role: 'tool', callId: 'a', text: 'one' },
      { role: 'tool', callId: 'b', text: 'two' },
    ]);
  });

  it('accepts plain text as input', () => {
    expect(responses.parse({ model: 'demo', input: 'hi' }).messages).toEqual([
      { role: 'user', text: 'hi', attachments: 0 },
    ]);
  });
});
