import type { Answer, Failure, Frame, Usage } from '../../answer.ts';
import { parseArguments } from '../../conversation.ts';
import { type Fragment, jsonFragments, textFragments } from '../fragments.ts';
import { eventFrame } from '../sse.ts';

const STOP = { stop: 'end_turn', 'tool-calls': 'tool_use', length: 'max_tokens' } as const;
/** Real signatures are opaque; clients only send them back. */
const SIGNATURE = 'c2NyaXB0ZWQ=';

/** `input_tokens` excludes cached tokens, `output_tokens` includes reasoning. */
function messagesUsage(usage: Usage, outputTokens: number): unknown {
  return {
    input_tokens: usage.inputTokens,
    cache_creation_input_tokens: usage.cacheWriteTokens,
    cache_read_input_tokens: usage.cacheReadTokens,
    output_tokens: outputTokens,
  };
}

function frame(type: string, rest: object, tokens = 0): Frame {
  return eventFrame(type, { type, ...rest }, tokens);
}

interface BlockPlan {
  start: object;
  deltas: { value: (text: string) => object; pieces: Fragment[] };
  end?: object;
}

function blockPlans(answer: Answer): BlockPlan[] {
  const plans: BlockPlan[] = [];
  if (answer.reasoning !== '') {
    plans.push({
      start: { type: 'thinking', thinking: '', signature: '' },
      deltas: {
        value: (thinking) => ({ type: 'thinking_delta', thinking }),
        pieces: textFragments(answer.reasoning),
      },
      end: { type: 'signature_delta', signature: SIGNATURE },
    });
  }
  if (answer.text !== '') {
    plans.push({
      start: { type: 'text', text: '' },
      deltas: {
        value: (text) => ({ type: 'text_delta', text }),
        pieces: textFragments(answer.text),
      },
    });
  }
  for (const call of answer.calls) {
    plans.push({
      start: { type: 'tool_use', id: call.id, name: call.name, input: {} },
      deltas: {
        value: (partial_json) => ({ type: 'input_json_delta', partial_json }),
        pieces: jsonFragments(call.argumentsJson),
      },
    });
  }
  return plans;
}

export function messagesFrames(answer: Answer): Frame[] {
  const { usage } = answer;
  return [
    frame('message_start', {
      message: {
        id: answer.id,
        type: 'message',
        role: 'assistant',
        model: answer.model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: messagesUsage(usage, 1),
      },
    }),
    frame('ping', {}),
    ...blockPlans(answer).flatMap((plan, index) => [
      frame('content_block_start', { index, content_block: plan.start }),
      ...plan.deltas.pieces.map((piece) =>
        frame('content_block_delta', { index, delta: plan.deltas.value(piece.text) }, piece.tokens),
      ),
      ...(plan.end ? [frame('content_block_delta', { index, delta: plan.end })] : []),
      frame('content_block_stop', { index }),
    ]),
    frame('message_delta', {
      delta: { stop_reason: STOP[answer.finish], stop_sequence: null },
      usage: { output_tokens: usage.outputTokens + usage.reasoningTokens },
    }),
    frame('message_stop', {}),
  ];
}

export function messagesBody(answer: Answer): unknown {
  const { usage } = answer;
  return {
    id: answer.id,
    type: 'message',
    role: 'assistant',
    model: answer.model,
    content: [
      ...(answer.reasoning === ''
        ? []
        : [{ type: 'thinking', thinking: answer.reasoning, signature: SIGNATURE }]),
      ...(answer.text === '' ? [] : [{ type: 'text', text: answer.text }]),
      ...answer.calls.map((call) => ({
        type: 'tool_use',
        id: call.id,
        name: call.name,
        input: parseArguments(call.argumentsJson),
      })),
    ],
    stop_reason: STOP[answer.finish],
    stop_sequence: null,
    usage: messagesUsage(usage, usage.outputTokens + usage.reasoningTokens),
  };
}

const TYPES: Record<Failure['kind'], string> = {
  'invalid-request': 'invalid_request_error',
  unauthorized: 'authentication_error',
  'unknown-model': 'not_found_error',
  'rate-limit': 'rate_limit_error',
  'context-overflow': 'invalid_request_error',
  'server-error': 'api_error',
  other: 'api_error',
};

const TYPES_BY_STATUS: Partial<Record<number, string>> = {
  402: 'billing_error',
  403: 'permission_error',
  413: 'request_too_large',
  529: 'overloaded_error',
};

export function messagesError(failure: Failure): unknown {
  const type = TYPES_BY_STATUS[failure.status] ?? TYPES[failure.kind];
  return { type: 'error', error: { type, message: failure.message } };
}
