/** Stands in for the error body of @ship/protocol until that package exports it. */
export interface ErrorInfo {
  readonly code: string;
  readonly category: string;
  readonly message: string;
  readonly remedy: string;
}

export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly info: ErrorInfo;

  constructor(info: ErrorInfo) {
    super(info.message);
    this.info = info;
  }
}

export const unreachable = (): ApiError =>
  new ApiError({
    code: 'unreachable',
    category: 'transient',
    message: 'Ship does not answer.',
    remedy: 'If you stopped it, start it again with npm start.',
  });

export const timedOut = (timeoutMs: number): ApiError =>
  new ApiError({
    code: 'timed_out',
    category: 'transient',
    message: `Ship did not answer within ${timeoutMs / 1000} seconds.`,
    remedy: 'The machine may be busy. This page keeps trying.',
  });

export const notUnderstood = (status: number): ApiError =>
  new ApiError({
    code: 'not_understood',
    category: 'persistent',
    message: `The answer was not understood (HTTP ${status}).`,
    remedy: 'Reload the page: it may be older than the server.',
  });
