import type { PromptSize, TokenUsage } from '@ship/core';
import type { ModelProtocol } from '@ship/protocol';

export type JsonObject = Record<string, unknown>;

/** The non-text content of a prompt. */
export type Media = Omit<PromptSize, 'bytes'>;

/** A validated request, with the data that metering needs. */
export interface PreparedCall {
  modelId: string;
  body: JsonObject;
  isStream: boolean;
  /** The request's limit for all alternatives together; null when it sets none. */
  maxAnswerTokens: number | null;
  /** The number of requested alternatives. */
  answers: number;
  media: Media;
}

/** Reads usage from a response as it streams through. */
export interface Meter {
  /** One event of a stream. */
  onEvent(event: JsonObject): void;
  /** A non-streamed response. */
  onBody(body: JsonObject): void;
  /** The final usage that the provider reported; undefined until then. */
  usage(): TokenUsage | undefined;
  /** The cost that the provider reported, if any. */
  reportedMicros(): number | undefined;
  /** For a response without final usage: prompt usage, if reported, and the number of bytes written. */
  soFar(): { prompt: TokenUsage | undefined; answerBytes: number };
}

export interface GatewayError {
  /** Machine-readable: `budget-exhausted`. */
  code: string;
  message: string;
}

/** A question of Ship itself to a model: no tools, one answer. */
export interface Question {
  system: string;
  text: string;
  maxAnswerTokens: number;
}

/** A model API protocol. */
export interface WireProtocol {
  name: ModelProtocol;
  /** The only allowed path below the base URL. */
  path: string;
  /** Throws for requests that cannot be metered or would let the provider act on the network. */
  prepare(body: JsonObject, options: { askCost: boolean }): PreparedCall;
  meter(): Meter;
  /** The body of a non-streamed request. */
  question(modelId: string, question: Question): JsonObject;
  /** The text of the response to it. */
  answerIn(body: JsonObject): string;
  /** Ship's error in the provider's format, because clients understand no other. */
  errorBody(status: number, error: GatewayError): JsonObject;
  /** The same as an SSE event within a stream. */
  errorEvent(error: GatewayError): string;
}
