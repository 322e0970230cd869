import { SandboxError, type Sandbox } from 'e2b';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { E2bDisk } from './e2b-disk.ts';

/** The one file of an upload, in a service that creates it some time after the caller disconnected. */
class LateFile {
  exists = false;
  removals = 0;
  readonly #createdAfterMs: number;
  readonly #failure: Error;

  constructor(createdAfterMs: number, failure: Error) {
    this.#createdAfterMs = createdAfterMs;
    this.#failure = failure;
  }

  readonly files = {
    getInfo: async () => ({ type: 'file' }),
    write: async () => {
      setTimeout(() => (this.exists = true), this.#createdAfterMs);
      throw this.#failure;
    },
    remove: async () => {
      this.removals += 1;
      this.exists = false;
    },
  };
}

const upload = (file: LateFile) =>
  new E2bDisk(file as unknown as Sandbox).write('/tmp/kept', new ReadableStream());

describe('uploads that fail', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('[FL5] a file that the service creates after the upload was interrupted is removed too', async () => {
    const file = new LateFile(1000, new TypeError('terminated'));
    const outcome = upload(file).catch((thrown: unknown) => thrown);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await outcome).toBeInstanceOf(Error);
    expect(file.exists).toBe(false);
  });

  it('[FL5] after an answer the failure is reported at once', async () => {
    const file = new LateFile(0, new SandboxError('not enough disk space'));
    await expect(upload(file)).rejects.toThrow();
    expect(file.removals).toBe(1);
  });
});
