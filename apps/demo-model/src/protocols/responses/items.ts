/** The output items of a completed response. */
import type { Answer, Usage } from '../../answer.ts';
import { type Fragment, jsonFragments, textFragments } from '../fragments.ts';

export type Item =
  | { kind: 'reasoning'; id: string; text: string; pieces: Fragment[] }
  | { kind: 'message'; id: string; text: string; pieces: Fragment[] }
  | {
      kind: 'call';
      id: string;
      callId: string;
      name: string;
      text: string;
      pieces: Fragment[];
    };

export function itemsOf(answer: Answer): Item[] {
  const items: Item[] = [];
  const { id, reasoning, text } = answer;
  if (reasoning !== '') {
    items.push({
      kind: 'reasoning',
      id: `rs_${id}`,
      text: reasoning,
      pieces: textFragments(reasoning),
    });
  }
  if (text !== '') {
    items.push({ kind: 'message', id: `msg_${id}`, text, pieces: textFragments(text) });
  }
  for (const [index, call] of answer.calls.entries()) {
    items.push({
      kind: 'call',
      id: `fc_${id}_${index}`,
      callId: call.id,
      name: call.name,
      text: call.argumentsJson,
      pieces: jsonFragments(call.argumentsJson),
    });
  }
  return items;
}

/** An item when it is added (`done` is false: no content yet) and when it is done. */
export function itemBody(item: Item, done: boolean): unknown {
  const status = done ? 'completed' : 'in_progress';
  switch (item.kind) {
    case 'reasoning':
      return {
        type: 'reasoning',
        id: item.id,
        summary: done ? [{ type: 'summary_text', text: item.text }] : [],
        encrypted_content: null,
      };
    case 'message':
      return {
        type: 'message',
        id: item.id,
        status,
        role: 'assistant',
        content: done ? [{ type: 'output_text', text: item.text, annotations: [] }] : [],
      };
    case 'call':
      return {
        type: 'function_call',
        id: item.id,
        status,
        call_id: item.callId,
        name: item.name,
        arguments: done ? item.text : '',
      };
  }
}

function responsesUsage(usage: Usage): unknown {
  const input = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  const output = usage.outputTokens + usage.reasoningTokens;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: usage.cacheReadTokens },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: input + output,
  };
}

export function responseBody(answer: Answer): Record<string, unknown> {
  const isTruncated = answer.finish === 'length';
  return {
    id: `resp_${answer.id}`,
    object: 'response',
    created_at: answer.createdAtSec,
    status: isTruncated ? 'incomplete' : 'completed',
    error: null,
    incomplete_details: isTruncated ? { reason: 'max_output_tokens' } : null,
    model: answer.model,
    output: itemsOf(answer).map((item) => itemBody(item, true)),
    usage: responsesUsage(answer.usage),
  };
}
