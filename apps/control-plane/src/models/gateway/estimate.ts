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

/** Of a model about which nothing is known. */
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

/** What a call reserves, and what it counts as should nobody ever say how it ended: the same. */
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
  /** The provider said all that it had to say. */
  isComplete: boolean;
  elapsedMs: number;
  /** The provider stops, and bills, no further when its client has left. */
  stopsWhenLeft: boolean;
}

interface Charged {
  bound: CallTokens;
  model: KnownModel;
  trustsReportedCost: boolean;
}

/** By the provider's own account, or without it by the most that it can have billed. */
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

/** A request that the provider refused, or never got, costs nothing. */
export const NO_COST: CallCost = { usage: NO_TOKENS, costMicros: 0, isEstimate: false };
