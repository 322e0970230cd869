/** Why the gateway does not serve a request. The message is one plain line without any secret; clients print it. */
export class RegistryError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** An upstream that gives no usable answer. Stale metadata is served instead where there is some. */
export class UpstreamError extends RegistryError {
  constructor(message: string) {
    // 4xx, not 5xx: npm repeats a 502 for more than a minute before it says anything.
    super(424, message);
  }
}

/** A connection that failed before an answer came: worth another try. */
export class NoAnswer extends UpstreamError {}

export function notFound(what: string): RegistryError {
  return new RegistryError(404, `${what} is not in this registry`);
}
