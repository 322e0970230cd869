/** Streams an upload to disk: one batch is written while the next one arrives. */
import type { FileHandle } from 'node:fs/promises';
import { release } from '../../streams/release.ts';

/** A socket delivers 64 kB at a time; a write per chunk would cost a round trip to the thread pool each. */
const BATCH_BYTES = 1024 * 1024;

export class TooLargeError extends Error {}

/**
 * `ownsChunks`: nothing else uses the chunks of `source`, so their memory is freed once they are written.
 * Resolves when everything is written, or throws the error of the source or disk, with no write left in progress.
 */
export async function writeFrom(
  source: AsyncIterable<Buffer>,
  file: FileHandle,
  { maxBytes, ownsChunks }: { maxBytes: number; ownsChunks: boolean },
): Promise<void> {
  let writing: Promise<void> = Promise.resolve();
  let batch: Buffer[] = [];
  let batchBytes = 0;
  let totalBytes = 0;
  const flush = async (): Promise<void> => {
    const full = batch;
    batch = [];
    batchBytes = 0;
    await writing;
    writing = writeBatch(file, full, ownsChunks);
    // Awaited when the next batch is full; until then it must not count as an unhandled rejection.
    writing.catch(() => {});
  };
  try {
    for await (const chunk of source) {
      totalBytes += chunk.length;
      if (totalBytes > maxBytes) throw new TooLargeError();
      batch.push(chunk);
      batchBytes += chunk.length;
      if (batchBytes >= BATCH_BYTES) await flush();
    }
    await flush();
  } finally {
    // The caller closes the file next.
    await writing;
  }
}

async function writeBatch(
  file: FileHandle,
  batch: readonly Buffer[],
  ownsChunks: boolean,
): Promise<void> {
  let left = [...batch];
  while (left.length > 0) {
    const { bytesWritten } = await file.writev(left);
    left = without(left, bytesWritten);
  }
  if (ownsChunks) for (const chunk of batch) release(chunk);
}

/** The rest of `chunks` after the first `bytes`: a nearly full disk writes less than requested. */
function without(chunks: readonly Buffer[], bytes: number): Buffer[] {
  let gone = bytes;
  return chunks.flatMap((chunk) => {
    const rest = chunk.subarray(Math.min(gone, chunk.length));
    gone -= chunk.length - rest.length;
    return rest.length === 0 ? [] : [rest];
  });
}
