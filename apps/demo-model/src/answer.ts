/** A model's answer, independent of the protocol. */

/** Tokens by billing class; the classes do not overlap. */
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

/** One server-sent event; `tokens` determines its delay. */
export interface Frame {
  sse: string;
  tokens: number;
}

/** An error response, independent of the protocol. */
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
