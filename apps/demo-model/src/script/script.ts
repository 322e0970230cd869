/** The vocabulary of scripts. */
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
  /** 0 is as fast as the client reads. */
  tokensPerSecond?: number | undefined;
}

/** One answer of the model: what it thinks, says and calls, and how that goes wrong. */
export interface Reply {
  think?: string | undefined;
  say?: string | undefined;
  calls?: CallPlan[] | undefined;
  /** Taken in order, each as often as its `times` says; then the step is answered. */
  faults?: Fault[] | undefined;
  timing?: Timing | undefined;
  /** Overrides the computed tokens, for tests that need an exact amount of money. */
  usage?: { [K in keyof Usage]?: Usage[K] | undefined } | undefined;
  finish?: Finish | undefined;
}

/** What came of one call. */
export interface Result {
  tool: string;
  input: unknown;
  text: string;
  failed: boolean;
}

/** Everything that a script may look at when it decides on the next step. */
export interface Turn {
  prompt: string;
  /** What the rule's pattern captured in the prompt. */
  match: string[];
  /** The agent's working folder, if its system prompt names it. */
  folder: string | null;
  tools: ReadonlySet<string>;
  /** The agent asks for a plan and forbids changes. */
  planOnly: boolean;
  /** The results of each step that the model took so far in this turn. */
  steps: Result[][];
  /** Steps that a compaction of the conversation has hidden. */
  lostSteps: number;
  conversation: Conversation;
}

/**
 * A turn told as a story: each `yield` is a step and gives back what its calls returned; what is returned is the last word.
 * It is told again from the start for every request, so it must be pure.
 */
export type Run = (turn: Turn) => Generator<Reply, Reply, Result[]>;

export type RequestKind = 'turn' | 'title' | 'compaction';

export interface Rule {
  name: string;
  kind: RequestKind;
  /** The captures when the rule applies, otherwise null. */
  matches(prompt: string, model: string): string[] | null;
  run: Run;
  /** After a compaction a list of steps goes on where it was; a story that reads results starts again. */
  afterCompaction: 'continue' | 'restart';
  timing: Timing;
}

export interface ModelSpec {
  id: string;
  name: string;
  contextTokens: number;
  outputTokens: number;
  /** null: the price is not known, and no cost is computed. */
  price: Price | null;
}

export interface Script {
  name: string;
  models: ModelSpec[];
  timing: Timing;
  rules: Rule[];
}
