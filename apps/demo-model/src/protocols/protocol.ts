import type { Answer, Failure, Frame } from '../answer.ts';
import type { Conversation, ProtocolName } from '../conversation.ts';

/** One provider protocol: parses requests, encodes answers and errors. All functions are pure. */
export interface Protocol {
  name: ProtocolName;
  path: string;
  /** Throws a `ZodError` for an invalid request. */
  parse(body: unknown): Conversation;
  frames(answer: Answer, options: { reportUsage: boolean }): Frame[];
  body(answer: Answer): unknown;
  errorBody(failure: Failure): unknown;
  /** Reports a failure after the stream has started. */
  errorFrame(failure: Failure): Frame;
}
