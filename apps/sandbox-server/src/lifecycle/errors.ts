/**
 * Every refusal that a client can see. The SDK picks its error class by the status, so the status is part of the
 * contract: 401 authentication, 404 not found, 409 already in that state, 429 too many, 503 busy, 507 no space.
 */
type RefusalStatus = 400 | 401 | 403 | 404 | 409 | 413 | 429 | 501 | 502 | 503 | 507;

export class Refusal extends Error {
  readonly status: RefusalStatus;
  /** Tells the caller the next step; part of the message on the wire, because the SDK shows nothing else. */
  readonly remedy: string | undefined;

  constructor(status: RefusalStatus, message: string, remedy?: string) {
    super(message);
    this.name = 'Refusal';
    this.status = status;
    this.remedy = remedy;
  }

  get text(): string {
    return this.remedy === undefined ? this.message : `${this.message} ${this.remedy}`;
  }
}

export function sandboxNotFound(id: string): Refusal {
  return new Refusal(404, `Sandbox ${JSON.stringify(id.slice(0, 64))} was not found.`);
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A full disk is not a server error: the client can free space. */
export function isDiskFull(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOSPC' || code === 'EDQUOT';
}
