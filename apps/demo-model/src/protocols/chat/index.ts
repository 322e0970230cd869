import type { Protocol } from '../protocol.ts';
import { dataFrame } from '../sse.ts';
import { chatBody, chatFrames, openAiError } from './encode.ts';
import { parseChatRequest } from './request.ts';

export const chat: Protocol = {
  name: 'chat',
  path: '/v1/chat/completions',
  parse: parseChatRequest,
  frames: chatFrames,
  body: chatBody,
  errorBody: openAiError,
  errorFrame: (failure) => dataFrame(openAiError(failure)),
};
