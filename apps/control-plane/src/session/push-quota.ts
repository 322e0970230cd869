import type { RuntimeMetadata } from './runtime-metadata.ts';

/** How many of these bytes are within the limit. */
export function takeBytes(pushed: number, bytes: number, limitBytes: number): number {
  return Math.max(0, Math.min(bytes, limitBytes - pushed));
}

/** Counts the bytes that a session has pushed; stored, so that a restart of the control plane does not reset it. */
export class PushQuota {
  readonly #metadata: RuntimeMetadata;

  constructor(metadata: RuntimeMetadata) {
    this.#metadata = metadata;
  }

  /** Counts bytes as pushed, up to the limit, and returns how many were granted. */
  take(bytes: number, limitBytes: number): number {
    const pushed = this.#metadata.read('pushed-bytes');
    const granted = takeBytes(pushed, bytes, limitBytes);
    this.#metadata.write('pushed-bytes', pushed + granted);
    return granted;
  }

  giveBack(bytes: number): void {
    const pushed = this.#metadata.read('pushed-bytes');
    this.#metadata.write('pushed-bytes', Math.max(0, pushed - bytes));
  }
}
