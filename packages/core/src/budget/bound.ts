import { type TokenUsage, NO_TOKENS } from './usage.ts';

/**
 * Upper bounds for calls whose usage the provider did not report. A sandbox decides when it hangs up and what its prompt is
 * made of, so nothing here may be an average: an estimate below the bill would let it spend past every cap.
 */
export interface PromptSize {
  /** Of the whole request as it is sent. */
  bytes: number;
  /** Pictures in real image fields, and how many of the bytes are theirs. */
  pictures: number;
  pictureBytes: number;
  /** Files of other kinds: a compressed one can be far longer than its bytes. */
  documents: number;
}

export interface ModelSize {
  /** Null when not known. */
  contextTokens: number | null;
  takesImages: boolean;
}

/** Tokens of the prompt and of the answer. */
export interface CallTokens {
  prompt: number;
  answer: number;
}

/** What providers add to a prompt: tool instructions, the template of the conversation. */
const PROVIDER_OVERHEAD_TOKENS = 1_000;
/** More than any current model counts for one picture at its highest resolution. */
const PICTURE_TOKENS = 8_000;
/** The longest prompt that any provider takes, for files in requests to a model of unknown size. */
const LONGEST_PROMPT_TOKENS = 1_000_000;
/** Faster than any of the providers whose streams end with the connection. */
const FASTEST_TOKENS_PER_SEC = 1_000;
/** Until the provider has noticed that nobody listens any more. */
const ABORT_MS = 2_000;

/** No tokenizer makes more tokens of a text than the text has bytes, and no provider reads more than fits the model. */
export function promptBound(size: PromptSize, model: ModelSize): number {
  const longest = model.contextTokens ?? Infinity;
  if (size.documents > 0) return model.contextTokens ?? Math.max(size.bytes, LONGEST_PROMPT_TOKENS);
  // A model that takes no pictures may be shown them as text.
  const pictures = model.takesImages ? size.pictures * PICTURE_TOKENS - size.pictureBytes : 0;
  return Math.min(longest, size.bytes + pictures + PROVIDER_OVERHEAD_TOKENS);
}

/** How a call ended of which the provider did not report the usage. */
export type UnreportedEnd =
  /** The whole answer came, so all that is visible of it was seen. */
  | { kind: 'complete'; answerBytes: number }
  /** The client or the gateway hung up, or the connection broke. */
  | { kind: 'broken'; elapsedMs: number; stopsWhenLeft: boolean };

/**
 * What to charge for it, never more than was reserved. A provider that goes on after its client left bills everything that
 * the request allowed; one that stops cannot have written more than fits into the time until it did. Only the time is
 * known: thinking is billed and often not shown.
 */
export function unreportedTokens(most: CallTokens, end: UnreportedEnd): CallTokens {
  return { prompt: most.prompt, answer: Math.min(most.answer, writtenAtMost(end)) };
}

function writtenAtMost(end: UnreportedEnd): number {
  if (end.kind === 'complete') return end.answerBytes;
  if (!end.stopsWhenLeft) return Infinity;
  return Math.ceil(((end.elapsedMs + ABORT_MS) * FASTEST_TOKENS_PER_SEC) / 1_000);
}

/** Tokens whose cache classes are not known, as usage: all of the prompt counts as read without a cache. */
export function plainUsage({ prompt, answer }: CallTokens): TokenUsage {
  return { ...NO_TOKENS, inputTokens: prompt, outputTokens: answer };
}
