/** Errors of the Connect protocol: a code, a message, and the HTTP status of unary calls. */
export const HTTP_STATUS = {
  canceled: 499,
  unknown: 500,
  invalid_argument: 400,
  deadline_exceeded: 504,
  not_found: 404,
  already_exists: 409,
  permission_denied: 403,
  resource_exhausted: 429,
  failed_precondition: 400,
  aborted: 409,
  out_of_range: 400,
  unimplemented: 501,
  internal: 500,
  unavailable: 503,
  unauthenticated: 401,
} as const;

export type Code = keyof typeof HTTP_STATUS;

export class RpcError extends Error {
  readonly code: Code;

  constructor(code: Code, message: string) {
    super(message);
    this.name = 'RpcError';
    this.code = code;
  }
}

const CODE_OF_ERRNO: Record<string, Code> = {
  ENOENT: 'not_found',
  ENOTDIR: 'invalid_argument',
  EISDIR: 'invalid_argument',
  EINVAL: 'invalid_argument',
  ENAMETOOLONG: 'invalid_argument',
  ERR_INVALID_ARG_VALUE: 'invalid_argument',
  EEXIST: 'already_exists',
  EACCES: 'permission_denied',
  EPERM: 'permission_denied',
  EROFS: 'permission_denied',
  ELOOP: 'failed_precondition',
  ENOTEMPTY: 'failed_precondition',
  EBUSY: 'failed_precondition',
  EXDEV: 'failed_precondition',
  ENOSPC: 'resource_exhausted',
  EDQUOT: 'resource_exhausted',
  EMFILE: 'resource_exhausted',
  EAGAIN: 'resource_exhausted',
};

export function errnoOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : '';
}

/** Node's codes for a connection that closed in the middle of a body. No client waits for the response, and it is no bug. */
export function isConnectionLost(code: string): boolean {
  return ['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE'].includes(code);
}

/** Converts any thrown value; unknown errors become `internal`. */
export function toRpcError(error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  const message = error instanceof Error ? error.message : String(error);
  const code = errnoOf(error);
  if (isConnectionLost(code)) return new RpcError('canceled', message);
  return new RpcError(CODE_OF_ERRNO[code] ?? 'internal', message);
}
