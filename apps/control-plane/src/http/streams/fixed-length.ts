import { fail } from '@ship/protocol';

/**
 * The body of a request with a declared length. Only the length distinguishes a truncated body from a complete one: without
 * it half a file would be stored as the whole.
 */
export function declaredLengthBody(request: Request, maxBytes: number): ReadableStream<Uint8Array> {
  const header = request.headers.get('content-length') ?? '';
  if (!/^\d{1,15}$/.test(header))
    fail(
      'length-required',
      'The body has no content-length.',
      'Send it with the header content-length, not chunked.',
    );
  const length = Number(header);
  if (length > maxBytes)
    fail(
      'too-large',
      `The body has more than ${maxBytes} bytes.`,
      'Send less at once, or download it inside the sandbox.',
    );
  return fixedLength(request.body ?? new Blob([]).stream(), length);
}

/** A stream of exactly this length: fewer or more bytes are an error. */
export function fixedLength(
  source: ReadableStream<Uint8Array>,
  length: number,
): ReadableStream<Uint8Array> {
  const { readable, writable } = new FixedLengthStream(length);
  // The reader of the other end gets the error.
  source.pipeTo(writable).catch(() => undefined);
  return readable;
}
