/**
 * A body cannot be longer than its content-length. A short one may be read at once: reading in chunks costs an event-loop
 * turn per 4 KB. A body without a declared length must be counted while it is read.
 */
export function declaresAtMost({ headers }: Request, maxBytes: number): boolean {
  const declared = headers.get('content-length');
  return declared !== null && Number(declared) <= maxBytes;
}
