/** Errors in GitHub's format, so that its clients show the same messages. */
export interface FieldError {
  resource: string;
  code: 'missing' | 'missing_field' | 'invalid' | 'already_exists' | 'unprocessable' | 'custom';
  field?: string;
  message?: string;
}

const documentation = 'https://docs.github.com/rest';

export class ApiError extends Error {
  readonly status: number;
  readonly body: Record<string, unknown>;

  constructor(status: number, message: string, extra: Record<string, unknown> = {}) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.body = { message, ...extra, documentation_url: documentation, status: String(status) };
  }
}

export function notFound(): ApiError {
  return new ApiError(404, 'Not Found');
}

export function badRequest(message: string): ApiError {
  return new ApiError(400, message);
}

export function forbidden(message: string): ApiError {
  return new ApiError(403, message);
}

export function conflict(message: string): ApiError {
  return new ApiError(409, message);
}

export function notMergeable(message: string): ApiError {
  return new ApiError(405, message);
}

/** 422 with one entry per validation error. */
export function invalid(...errors: FieldError[]): ApiError {
  return new ApiError(422, 'Validation Failed', { errors });
}

/** 422 with a message only. */
export function unprocessable(message: string): ApiError {
  return new ApiError(422, message);
}

/** 422 in the format of the review routes: errors are plain strings. */
export function invalidReview(...errors: string[]): ApiError {
  return new ApiError(422, 'Unprocessable Entity', { errors });
}
