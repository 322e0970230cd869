import { fail } from '@ship/protocol';

/**
 * The body of a request with its length. The length is what makes a body that broke off differ from one that ended:
 * without it half a file would be taken for the whole.
 */
export function declaredLengthBody(request: Request, maxBytes: number): ReadableStream<Uint8Array> {
  const header = request.headers.get('content-length') ?? '';
  if (!/^\d{1,15}$/.test(header))
    fail(
      'length-required',
      'The body has no length.',
      'Send it with the header content-length, not in chunks.',
    );
  const length = Number(header);
  if (length > maxBytes)
    fail(
      'too-large',
      `The body has more than ${maxBytes} bytes.`,
      'Send less at once, or fetch it from within the sandbox.',
    );
  return fixedLength(request.body ?? new Blob([]).stream(), length);
}

/** The same, and exactly so long: fewer bytes or more break it off. */
export function fixedLength(
  source: ReadableStream<Uint8Array>,
  length: number,
): ReadableStream<Uint8Array> {
  const { readable, writable } = new FixedLengthStream(length);
  // Whoever reads the other end is told.
  source.pipeTo(writable).catch(() => undefined);
  return readable;
}
