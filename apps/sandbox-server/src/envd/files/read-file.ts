/** The body of a download: read into a few blocks that are used again and again, so that memory stays flat. */
import type { FileHandle } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { finished } from 'node:stream/promises';

const BLOCK_BYTES = 256 * 1024;
/** One is read into while the others are on their way through the socket. */
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

  /** Whoever waits for a block would wait for ever: nothing will come back from a broken connection. */
  fail(failure: Error): void {
    this.#failure ??= failure;
    this.#wake();
  }
}

/** Sends `file` from `start` up to `end` (exclusive; undefined: as far as it goes), then ends the answer. */
export async function sendFile(
  file: FileHandle,
  response: ServerResponse,
  { start, end }: { start: number; end: number | undefined },
): Promise<void> {
  const blocks = new Blocks();
  response.once('close', () => blocks.fail(new Error('the client has gone')));
  let position = start;
  while (end === undefined || position < end) {
    const block = await blocks.take();
    const wanted = end === undefined ? block.length : Math.min(block.length, end - position);
    // Files of /proc are read on from where the last read stopped; not all of them know positions.
    const from = end === undefined ? null : position;
    const { bytesRead } = await file.read(block, 0, wanted, from);
    if (bytesRead === 0) break;
    position += bytesRead;
    response.write(block.subarray(0, bytesRead), (error) => {
      if (error === undefined || error === null) blocks.give(block);
      else blocks.fail(error);
    });
  }
  if (end !== undefined && position < end) throw new Error('the file is shorter than it was');
  response.end();
  await finished(response);
}
