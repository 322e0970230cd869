import { type TokenUsage, NO_TOKENS } from './usage.ts';

/**
 * Upper bounds for calls whose usage the provider did not report. The sandbox decides when it disconnects and what its prompt
 * contains, so nothing here may be an average: an estimate below the bill would let it exceed every cap.
 */
export interface PromptSize {
  /** Size of the whole request as it is sent. */
  bytes: number;
  /** Number of pictures in image fields, and their share of the bytes. */
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

/** Tokens that providers add to a prompt: tool instructions, the template of the conversation. */
const PROVIDER_OVERHEAD_TOKENS = 1_000;
/** Upper bound of the tokens that any current model counts for one picture at its highest resolution. */
const PICTURE_TOKENS = 8_000;
/** The longest prompt that any provider accepts, for files in requests to a model of unknown size. */
const LONGEST_PROMPT_TOKENS = 1_000_000;
/** Faster than any provider that stops generating when the connection ends. */
const FASTEST_TOKENS_PER_SEC = 1_000;
/** Time until the provider notices that the client disconnected. */
const ABORT_MS = 2_000;

/** No tokenizer makes more tokens than the text has bytes, and no provider reads more than the model's context. */
export function promptBound(size: PromptSize, model: ModelSize): number {
  const longest = model.contextTokens ?? Infinity;
  if (size.documents > 0) return model.contextTokens ?? Math.max(size.bytes, LONGEST_PROMPT_TOKENS);
  // A model without image input may get the pictures as text.
  const pictures = model.takesImages ? size.pictures * PICTURE_TOKENS - size.pictureBytes : 0;
  return Math.min(longest, size.bytes + pictures + PROVIDER_OVERHEAD_TOKENS);
}

/** How a call ended whose usage the provider did not report. */
export type UnreportedEnd =
  /** The whole answer arrived. */
  | { kind: 'complete'; answerBytes: number }
  /** The client or the gateway disconnected, or the connection broke. */
  | { kind: 'broken'; elapsedMs: number; stopsWhenLeft: boolean };

/**
 * The tokens to charge, never more than were reserved. A provider that continues after its client left bills everything that
 * the request allowed; one that stops cannot have written more than fits into the elapsed time. Only the time is known:
 * thinking is billed and often not shown.
 */
export function unreportedTokens(most: CallTokens, end: UnreportedEnd): CallTokens {
  return { prompt: most.prompt, answer: Math.min(most.answer, writtenAtMost(end)) };
}

function writtenAtMost(end: UnreportedEnd): number {
  if (end.kind === 'complete') return end.answerBytes;
  if (!end.stopsWhenLeft) return Infinity;
  return Math.ceil(((end.elapsedMs + ABORT_MS) * FASTEST_TOKENS_PER_SEC) / 1_000);
}

/** Usage for tokens whose cache classes are unknown: the whole prompt counts as uncached. */
export function plainUsage({ prompt, answer }: CallTokens): TokenUsage {
  return { ...NO_TOKENS, inputTokens: prompt, outputTokens: answer };
}
