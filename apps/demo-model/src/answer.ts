/** What is sent back, before a protocol gives it its shape. */

/** Tokens by how they are billed; the classes do not overlap. */
export interface Usage {
  inputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  outputTokens: number;
  reasoningTokens: number;
}

export interface AnswerCall {
  id: string;
  name: string;
  argumentsJson: string;
}

export type Finish = 'stop' | 'tool-calls' | 'length';

export interface Answer {
  id: string;
  createdAtSec: number;
  model: string;
  reasoning: string;
  text: string;
  calls: AnswerCall[];
  finish: Finish;
  usage: Usage;
}

/** One server-sent event: `tokens` is how much of the answer it carries, so that pacing knows how long it takes. */
export interface Frame {
  sse: string;
  tokens: number;
}

/** A refusal or breakdown, before a protocol gives it its shape. */
export interface Failure {
  status: number;
  kind:
    | 'invalid-request'
    | 'unauthorized'
    | 'unknown-model'
    | 'rate-limit'
    | 'context-overflow'
    | 'server-error'
    | 'other';
  message: string;
  retryAfterSec?: number;
}
