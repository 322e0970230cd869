/** Why the gateway refuses a request. The message is one plain line without secrets; clients print it. */
export class RegistryError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The upstream gave no usable answer. Stale metadata is served instead, if there is any. */
export class UpstreamError extends RegistryError {
  constructor(message: string) {
    // 4xx, not 5xx: npm retries a 502 for more than a minute before it prints anything.
    super(424, message);
  }
}

/** The connection failed before a response: worth a retry. */
export class NoAnswer extends UpstreamError {}

export function notFound(what: string): RegistryError {
  return new RegistryError(404, `${what} is not in this registry`);
}
