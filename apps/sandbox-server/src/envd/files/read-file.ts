/** Streams a file through a few reused blocks, so that memory stays constant. */
import type { FileHandle } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { finished } from 'node:stream/promises';

const BLOCK_BYTES = 256 * 1024;
/** One is being filled while the others are in flight through the socket. */
const BLOCKS = 4;

class Blocks {
  readonly #free: Buffer[] = [];
  #made = 0;
  #wake = () => {};
  #failure: Error | undefined;

  async take(): Promise<Buffer> {
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure;
      const block = this.#free.pop();
      if (block !== undefined) return block;
      if (this.#made < BLOCKS) {
        this.#made += 1;
        return Buffer.allocUnsafeSlow(BLOCK_BYTES);
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  give(block: Buffer): void {
    this.#free.push(block);
    this.#wake();
  }

  /** Wakes a reader that waits for a block: none comes back from a broken connection, so it would wait forever. */
  fail(failure: Error): void {
    this.#failure ??= failure;
    this.#wake();
  }
}

/** Sends `file` from `start` to `end` (exclusive; undefined: to its end), then ends the response. */
export async function sendFile(
  file: FileHandle,
  response: ServerResponse,
  { start, end }: { start: number; end: number | undefined },
): Promise<void> {
  const blocks = new Blocks();
  response.once('close', () => blocks.fail(new Error('the client disconnected')));
  let position = start;
  const stop = end ?? Infinity;
  while (position < stop) {
    const block = await blocks.take();
    const wanted = Math.min(block.length, stop - position);
    // Files of /proc are read sequentially; not all of them support positions.
    const from = end === undefined ? null : position;
    const { bytesRead } = await file.read(block, 0, wanted, from);
    if (bytesRead === 0) break;
    position += bytesRead;
    response.write(block.subarray(0, bytesRead), (error) => {
      if (error === undefined || error === null) blocks.give(block);
      else blocks.fail(error);
    });
  }
  if (end !== undefined && position < end)
    throw new Error('the file was truncated while it was read');
  response.end();
  await finished(response);
}
