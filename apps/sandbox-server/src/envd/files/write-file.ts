/** The body of an upload, written as it comes: a batch goes to the disk while the next one arrives. */
import type { FileHandle } from 'node:fs/promises';
import { release } from '../../streams/release.ts';

/** A socket gives 64 kB at a time; each write of its own would cost a trip to another thread and back. */
const BATCH_BYTES = 1024 * 1024;

export class TooLargeError extends Error {}

/**
 * `ownsChunks`: nobody else holds the chunks of `source`, so their memory may be given back when they are written.
 * Resolves when all is written, or throws what the source or the disk threw, with no write left under way.
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
    // Looked at when the next batch is full; until then it must not count as a failure that nobody handles.
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

/** What is left of `chunks` after their first `bytes`: a disk that is nearly full takes less than it was given. */
function without(chunks: readonly Buffer[], bytes: number): Buffer[] {
  let gone = bytes;
  return chunks.flatMap((chunk) => {
    const rest = chunk.subarray(Math.min(gone, chunk.length));
    gone -= chunk.length - rest.length;
    return rest.length === 0 ? [] : [rest];
  });
}
