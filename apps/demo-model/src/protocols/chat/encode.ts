import type { Answer, Failure, Frame, Usage } from '../../answer.ts';
import { jsonFragments, textFragments } from '../fragments.ts';
import { dataFrame } from '../sse.ts';

const FINISH = { stop: 'stop', 'tool-calls': 'tool_calls', length: 'length' } as const;

/** `prompt_tokens` includes cached tokens, `completion_tokens` includes reasoning. */
function chatUsage(usage: Usage): unknown {
  const prompt = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  const completion = usage.outputTokens + usage.reasoningTokens;
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: usage.cacheReadTokens },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  };
}

export function chatFrames(answer: Answer, options: { reportUsage: boolean }): Frame[] {
  const chunk = (choices: unknown[], tokens = 0, extra: object = {}): Frame =>
    dataFrame(
      {
        id: answer.id,
        object: 'chat.completion.chunk',
        created: answer.createdAtSec,
        model: answer.model,
        choices,
        ...extra,
      },
      tokens,
    );
  const delta = (value: object, tokens = 0): Frame =>
    chunk([{ index: 0, delta: value, finish_reason: null }], tokens);

  return [
    delta({ role: 'assistant', content: '' }),
    ...textFragments(answer.reasoning).map((piece) =>
      delta({ reasoning_content: piece.text }, piece.tokens),
    ),
    ...textFragments(answer.text).map((piece) => delta({ content: piece.text }, piece.tokens)),
    ...answer.calls.flatMap((call, index) => [
      delta({
        tool_calls: [
          { index, id: call.id, type: 'function', function: { name: call.name, arguments: '' } },
        ],
      }),
      ...jsonFragments(call.argumentsJson).map((piece) =>
        delta({ tool_calls: [{ index, function: { arguments: piece.text } }] }, piece.tokens),
      ),
    ]),
    chunk([{ index: 0, delta: {}, finish_reason: FINISH[answer.finish] }]),
    ...(options.reportUsage ? [chunk([], 0, { usage: chatUsage(answer.usage) })] : []),
    { sse: 'data: [DONE]\n\n', tokens: 0 },
  ];
}

export function chatBody(answer: Answer): unknown {
  const calls = answer.calls.map((call) => ({
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: call.argumentsJson },
  }));
  return {
    id: answer.id,
    object: 'chat.completion',
    created: answer.createdAtSec,
    model: answer.model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: answer.text === '' && calls.length > 0 ? null : answer.text,
          ...(answer.reasoning === '' ? {} : { reasoning_content: answer.reasoning }),
          ...(calls.length === 0 ? {} : { tool_calls: calls }),
        },
        finish_reason: FINISH[answer.finish],
      },
    ],
    usage: chatUsage(answer.usage),
  };
}

const CODES: Record<Failure['kind'], { type: string; code: string | null }> = {
  'invalid-request': { type: 'invalid_request_error', code: null },
  unauthorized: { type: 'invalid_request_error', code: 'invalid_api_key' },
  'unknown-model': { type: 'invalid_request_error', code: 'model_not_found' },
  'rate-limit': { type: 'rate_limit_error', code: 'rate_limit_exceeded' },
  'context-overflow': { type: 'invalid_request_error', code: 'context_length_exceeded' },
  'server-error': { type: 'server_error', code: null },
  other: { type: 'api_error', code: null },
};

/** Chat-completions and responses share OpenAI's error object. */
export function openAiError(failure: Failure): {
  error: { message: string; type: string; param: null; code: string | null };
} {
  return { error: { message: failure.message, param: null, ...CODES[failure.kind] } };
}
