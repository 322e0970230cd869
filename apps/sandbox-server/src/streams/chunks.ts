import { finished, type Readable } from 'node:stream';

const MAX_WAITING_BYTES = 1024 * 1024;

/**
 * A stream's chunks without copies. A stream's own iterator concatenates waiting chunks into a new one, which copies
 * everything and leaves the old ones to the garbage collector. Leaving the loop early destroys the stream, as there.
 */
export async function* chunksOf(stream: Readable): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  let isOver = false;
  let failure: Error | undefined;
  let wake: (() => void) | undefined;
  stream.on('data', (chunk: Buffer) => {
    waiting.push(chunk);
    waitingBytes += chunk.length;
    if (waitingBytes >= MAX_WAITING_BYTES) stream.pause();
    wake?.();
  });
  stream.once('end', () => {
    isOver = true;
    wake?.();
  });
  finished(stream, { writable: false }, (error) => {
    isOver = true;
    failure = error ?? undefined;
    wake?.();
  });
  try {
    for (;;) {
      const ready = waiting;
      waiting = [];
      waitingBytes = 0;
      yield* ready;
      if (failure !== undefined) throw failure;
      if (waiting.length > 0) continue;
      if (isOver) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
        stream.resume();
      });
    }
  } finally {
    if (!isOver) stream.destroy();
  }
}
