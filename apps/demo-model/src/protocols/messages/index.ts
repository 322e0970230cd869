import type { Protocol } from '../protocol.ts';
import { eventFrame } from '../sse.ts';
import { messagesBody, messagesError, messagesFrames } from './encode.ts';
import { parseMessagesRequest } from './request.ts';

export const messages: Protocol = {
  name: 'messages',
  path: '/v1/messages',
  parse: parseMessagesRequest,
  frames: messagesFrames,
  body: messagesBody,
  errorBody: messagesError,
  errorFrame: (failure) => eventFrame('error', messagesError(failure)),
};
