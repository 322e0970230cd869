import {
  type CallTokens,
  NO_TOKENS,
  type UnreportedEnd,
  costMicros,
  mostMicros,
  plainUsage,
  promptBound,
  promptTokens,
  unreportedTokens,
} from '@ship/core';
import type { KnownModel } from '../known-model.ts';
import type { Meter, PreparedCall } from '../protocols/protocol.ts';
import type { CallCost, ModelCall } from '../budget/port.ts';

/** For an unknown model. */
const DEFAULT_ANSWER_TOKENS = 32_000;

/** The most tokens that the provider can bill for this request. */
export function boundOf(
  { maxAnswerTokens, answers, media }: PreparedCall,
  bytes: number,
  { contextTokens, outputTokens, images }: KnownModel,
): CallTokens {
  const writable = (outputTokens ?? DEFAULT_ANSWER_TOKENS) * answers;
  const answer = Math.min(maxAnswerTokens ?? writable, outputTokens === null ? Infinity : writable);
  return {
    prompt: promptBound({ bytes, ...media }, { contextTokens, takesImages: images }),
    answer,
  };
}

/** The amount that a call reserves; it is also charged when the end of the call is never reported. */
export function reservationOf(
  bound: CallTokens,
  model: KnownModel,
): Pick<ModelCall, 'most' | 'worst'> {
  const micros = mostMicros(bound, model.price);
  return {
    most: { micros, tokens: bound.prompt + bound.answer },
    worst: { usage: plainUsage(bound), costMicros: micros, isEstimate: true },
  };
}

/** How the exchange with the provider ended. */
export interface CallEnd {
  /** The provider ended its response. */
  isComplete: boolean;
  elapsedMs: number;
  /** The provider stops generating and billing when its client disconnects. */
  stopsWhenLeft: boolean;
}

interface Charged {
  bound: CallTokens;
  model: KnownModel;
  trustsReportedCost: boolean;
}

/** The cost by the provider's usage report, or else the most that it can have billed. */
export function costOf(
  { bound, model, trustsReportedCost }: Charged,
  meter: Meter,
  { isComplete, elapsedMs, stopsWhenLeft }: CallEnd,
): CallCost {
  const usage = meter.usage();
  if (usage !== undefined) {
    const reported = trustsReportedCost ? meter.reportedMicros() : undefined;
    return { usage, costMicros: reported ?? costMicros(usage, model.price), isEstimate: false };
  }
  const { prompt, answerBytes } = meter.soFar();
  const end: UnreportedEnd = isComplete
    ? { kind: 'complete', answerBytes }
    : { kind: 'broken', elapsedMs, stopsWhenLeft };
  if (prompt === undefined) {
    const tokens = unreportedTokens(bound, end);
    const micros = mostMicros(tokens, model.price);
    return { usage: plainUsage(tokens), costMicros: micros, isEstimate: true };
  }
  const most = { prompt: promptTokens(prompt), answer: bound.answer };
  const guessed = { ...prompt, outputTokens: unreportedTokens(most, end).answer };
  return { usage: guessed, costMicros: costMicros(guessed, model.price), isEstimate: true };
}

/** The cost of a request that the provider refused or never received. */
export const NO_COST: CallCost = { usage: NO_TOKENS, costMicros: 0, isEstimate: false };
