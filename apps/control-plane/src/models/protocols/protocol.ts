import type { PromptSize, TokenUsage } from '@ship/core';
import type { ModelProtocol } from '@ship/protocol';

export type JsonObject = Record<string, unknown>;

/** What of a prompt is not text. */
export type Media = Omit<PromptSize, 'bytes'>;

/** A request as it will be sent: checked, and with what metering needs. */
export interface PreparedCall {
  modelId: string;
  body: JsonObject;
  isStream: boolean;
  /** What the request allows the model to write, all alternatives together; null when it does not say. */
  maxAnswerTokens: number | null;
  /** How many alternatives are asked for. */
  answers: number;
  /** Pictures and files in it. */
  media: Media;
}

/** Reads an answer as it passes by. */
export interface Meter {
  /** One event of a stream. */
  onEvent(event: JsonObject): void;
  /** A whole answer. */
  onBody(body: JsonObject): void;
  /** What the provider says was used in all; undefined until it has said so. */
  usage(): TokenUsage | undefined;
  /** What the provider says it cost, where it does. */
  reportedMicros(): number | undefined;
  /** For an answer without usage: what was read of the prompt, if that came, and how many bytes of text were written. */
  soFar(): { prompt: TokenUsage | undefined; answerBytes: number };
}

export interface GatewayError {
  /** Machine-readable: `budget-exhausted`. */
  code: string;
  message: string;
}

/** What Ship itself asks a model: no tools, one answer. */
export interface Question {
  system: string;
  text: string;
  maxAnswerTokens: number;
}

/** One of the ways in which models are spoken to. */
export interface WireProtocol {
  name: ModelProtocol;
  /** The one path that is let through, below the base URL. */
  path: string;
  /** Throws a refusal for what cannot be metered or would let the provider act on the network. */
  prepare(body: JsonObject, options: { askCost: boolean }): PreparedCall;
  meter(): Meter;
  /** The body of a request that is answered as a whole. */
  question(modelId: string, question: Question): JsonObject;
  /** What such an answer says. */
  answerIn(body: JsonObject): string;
  /** An error of ours in the shape of the provider's: clients understand no other. */
  errorBody(status: number, error: GatewayError): JsonObject;
  /** The same within a stream, as the text of an event. */
  errorEvent(error: GatewayError): string;
}
