import type { Answer, Failure, Frame } from '../answer.ts';
import type { Conversation, ProtocolName } from '../conversation.ts';

/** One provider protocol: how a request is read and how an answer or a failure is written. All parts are pure. */
export interface Protocol {
  name: ProtocolName;
  path: string;
  /** Throws a `ZodError` that says what is wrong with the request. */
  parse(body: unknown): Conversation;
  frames(answer: Answer, options: { reportUsage: boolean }): Frame[];
  body(answer: Answer): unknown;
  errorBody(failure: Failure): unknown;
  /** How this protocol reports a failure after the stream has begun. */
  errorFrame(failure: Failure): Frame;
}
