import { NO_TOKENS, type TokenUsage, costMicros, mostMicros } from '@ship/core';
import type { KnownModel } from '../known-model.ts';
import type { Meter, PreparedCall } from '../protocols/protocol.ts';
import type { CallCost, ModelCall } from '../purse/port.ts';

/** Of English and of code, about; stated in docs/models.md. */
const CHARS_PER_TOKEN = 4;
/** No tokenizer makes more tokens of ordinary text than this; what the provider adds by itself comes on top. */
const FEWEST_CHARS_PER_TOKEN = 2;
const PROVIDER_OVERHEAD_TOKENS = 1_000;
/** Of a model about which nothing is known. */
const DEFAULT_ANSWER_TOKENS = 32_000;
/** Of a call of which nothing was ever heard again. */
const LIKELY_ANSWER_TOKENS = 1_000;

/** A picture is a run of letters and digits at least so long, and counts for as many characters as this. */
const PICTURE_CHARS = 8_000;

/**
 * How long a request is, for estimates. Looks only where a picture must have a character; a pattern that is searched from
 * every place takes seconds for a text with many runs that are nearly long enough, and all sessions wait for that.
 */
export function promptChars(text: string): number {
  let chars = text.length;
  for (let at = PICTURE_CHARS - 1; at < text.length;) {
    if (!isPicture(text.charCodeAt(at))) {
      at += PICTURE_CHARS;
      continue;
    }
    let start = at;
    while (start > 0 && isPicture(text.charCodeAt(start - 1))) start -= 1;
    let end = at + 1;
    while (end < text.length && isPicture(text.charCodeAt(end))) end += 1;
    chars -= Math.max(0, end - start - PICTURE_CHARS);
    // At `end` there is none: the next one begins behind it.
    at = end + PICTURE_CHARS;
  }
  return chars;
}

const PICTURE_CODES = new Set(
  Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=', (character) =>
    character.charCodeAt(0),
  ),
);

const isPicture = (code: number): boolean => PICTURE_CODES.has(code);

/** What a call can cost at worst, and what it counts as should nobody ever say how it ended. */
export function estimateCall(
  { maxAnswerTokens, answers }: PreparedCall,
  bodyChars: number,
  model: KnownModel,
): Pick<ModelCall, 'most' | 'likely'> {
  const writable = (model.outputTokens ?? DEFAULT_ANSWER_TOKENS) * answers;
  const answer = Math.min(
    maxAnswerTokens ?? writable,
    model.outputTokens === null ? Infinity : writable,
  );
  const prompt = Math.ceil(bodyChars / FEWEST_CHARS_PER_TOKEN) + PROVIDER_OVERHEAD_TOKENS;
  const usage: TokenUsage = {
    ...NO_TOKENS,
    inputTokens: Math.ceil(bodyChars / CHARS_PER_TOKEN),
    outputTokens: Math.min(answer, LIKELY_ANSWER_TOKENS),
  };
  return {
    most: { micros: mostMicros({ prompt, answer }, model.price), tokens: prompt + answer },
    likely: { usage, costMicros: costMicros(usage, model.price), isEstimate: true },
  };
}

/** By the provider's own account, or, when the answer broke off before that came, by what went over the wire. */
export function costOf(
  meter: Meter,
  bodyChars: number,
  model: KnownModel,
  trustsReportedCost: boolean,
): CallCost {
  const usage = meter.usage();
  if (usage !== undefined) {
    const reported = trustsReportedCost ? meter.reportedMicros() : undefined;
    return { usage, costMicros: reported ?? costMicros(usage, model.price), isEstimate: false };
  }
  const { prompt, answerChars } = meter.soFar();
  const guessed: TokenUsage = {
    ...(prompt ?? { ...NO_TOKENS, inputTokens: Math.ceil(bodyChars / CHARS_PER_TOKEN) }),
    outputTokens: Math.ceil(answerChars / CHARS_PER_TOKEN),
  };
  return { usage: guessed, costMicros: costMicros(guessed, model.price), isEstimate: true };
}

/** A request that the provider refused costs nothing. */
export const NO_COST: CallCost = { usage: NO_TOKENS, costMicros: 0, isEstimate: false };
