import type { GatewayError, JsonObject } from './protocol.ts';

const TYPES: Partial<Record<number, string>> = {
  401: 'authentication_error',
  402: 'insufficient_quota',
  403: 'permission_error',
  429: 'rate_limit_error',
};

/** The error format of chat-completions and responses. */
export function openAiError(status: number, { code, message }: GatewayError): JsonObject {
  const type = TYPES[status] ?? (status >= 500 ? 'server_error' : 'invalid_request_error');
  return { error: { message, type, param: null, code } };
}
