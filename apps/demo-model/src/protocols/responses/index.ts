import { openAiError } from '../chat/encode.ts';
import type { Protocol } from '../protocol.ts';
import { responsesErrorFrame, responsesFrames } from './encode.ts';
import { responseBody } from './items.ts';
import { parseResponsesRequest } from './request.ts';

export const responses: Protocol = {
  name: 'responses',
  path: '/v1/responses',
  parse: parseResponsesRequest,
  frames: responsesFrames,
  body: responseBody,
  errorBody: openAiError,
  errorFrame: responsesErrorFrame,
};
