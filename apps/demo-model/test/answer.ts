import type { Answer } from '../src/answer.ts';

/** An answer with all kinds of content, for tests of the encoders. */
export function answer(changes: Partial<Answer> = {}): Answer {
  return {
    id: 'demo-1',
    createdAtSec: 1_700_000_000,
    model: 'demo',
    reasoning: 'Hm.',
    text: 'Two words',
    calls: [{ id: 'call_1', name: 'read', argumentsJson: '{"filePath":"/repo/README.md"}' }],
    finish: 'tool-calls',
    usage: {
      inputTokens: 10,
      cacheReadTokens: 128,
      cacheWriteTokens: 0,
      outputTokens: 20,
      reasoningTokens: 5,
    },
    ...changes,
  };
}

export function sse(frames: { sse: string }[]): string {
  return frames.map((frame) => frame.sse).join('');
}
