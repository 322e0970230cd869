/** Below this, freeing memory costs more than it saves. */
const MIN_BYTES = 4_096;

/**
 * Frees a chunk's memory immediately. Left to the garbage collector, the chunks of a large transfer make it mark the
 * whole heap every twenty megabytes, which takes longer than the transfer itself. Only for chunks that are no longer in
 * use: one that is still being written would be freed while the kernel reads it.
 */
export function release(chunk: Buffer): void {
  const { buffer } = chunk;
  // A slice of a larger block: the rest of it may be in use.
  if (chunk.length !== buffer.byteLength || chunk.length < MIN_BYTES) return;
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}
