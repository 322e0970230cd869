/** Below this, giving memory back costs more than it saves. */
const MIN_BYTES = 4_096;

/**
 * Gives the memory of a chunk back at once. Left to the garbage collector, the chunks of a large transfer make it mark the
 * whole heap every twenty megabytes, which takes longer than the transfer itself. Only for a chunk that nobody reads any
 * more: one that is still being written would be freed under the kernel's hands.
 */
export function release(chunk: Buffer): void {
  const { buffer } = chunk;
  // A part of a larger block: the rest of it may be in somebody else's hands.
  if (chunk.length !== buffer.byteLength || chunk.length < MIN_BYTES) return;
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}
