/** The types of scripts. */
import type { Finish, Usage } from '../answer.ts';
import type { Conversation } from '../conversation.ts';
import type { Price } from '../ledger/price.ts';
import type { Fault } from './fault.ts';

export interface CallPlan {
  tool: string;
  input: Record<string, unknown>;
}

export interface Timing {
  firstTokenMs?: number | undefined;
  /** 0: no delay. */
  tokensPerSecond?: number | undefined;
}

/** One answer of the model: reasoning, text, calls and faults. */
export interface Reply {
  think?: string | undefined;
  say?: string | undefined;
  calls?: CallPlan[] | undefined;
  /** Applied in order, each `times` times; then the step is answered. */
  faults?: Fault[] | undefined;
  timing?: Timing | undefined;
  /** Overrides the computed tokens, for tests that need an exact cost. */
  usage?: { [K in keyof Usage]?: Usage[K] | undefined } | undefined;
  finish?: Finish | undefined;
}

/** The result of one call. */
export interface Result {
  tool: string;
  input: unknown;
  text: string;
  failed: boolean;
}

/** The input of a script for its next step. */
export interface Turn {
  prompt: string;
  /** Captures of the rule's pattern in the prompt. */
  match: string[];
  /** The agent's working folder, if the system prompt contains it. */
  folder: string | null;
  tools: ReadonlySet<string>;
  /** Plan mode: the agent forbids changes. */
  planOnly: boolean;
  /** Results of each previous step of this turn. */
  steps: Result[][];
  /** Steps before a compaction of the conversation. */
  lostSteps: number;
  conversation: Conversation;
}

/**
 * A turn as a generator: each `yield` is a step and returns the results of its calls; the return value is the final reply.
 * Every request replays it from the start, so it must be pure.
 */
export type Run = (turn: Turn) => Generator<Reply, Reply, Result[]>;

export type RequestKind = 'turn' | 'title' | 'compaction';

export interface Rule {
  name: string;
  kind: RequestKind;
  /** The captures when the rule matches, otherwise null. */
  matches(prompt: string, model: string): string[] | null;
  run: Run;
  /** After a compaction a list of steps continues; a generator, which may read earlier results, restarts. */
  afterCompaction: 'continue' | 'restart';
  timing: Timing;
}

export interface ModelSpec {
  id: string;
  name: string;
  contextTokens: number;
  outputTokens: number;
  /** null when the price is unknown: no cost is computed. */
  price: Price | null;
}

export interface Script {
  name: string;
  models: ModelSpec[];
  timing: Timing;
  rules: Rule[];
}
