/** Frames of a Connect stream: one byte of flags, four of length, then the message. */
import type { Readable } from 'node:stream';
import { RpcError } from './errors.ts';

const HEADER_BYTES = 5;
const FLAG_COMPRESSED = 1;
const FLAG_END = 2;

export function encodeFrame(message: unknown, isEnd = false): Buffer {
  const text = JSON.stringify(message);
  const length = Buffer.byteLength(text);
  const frame = Buffer.allocUnsafe(HEADER_BYTES + length);
  frame[0] = isEnd ? FLAG_END : 0;
  frame.writeUInt32BE(length, 1);
  frame.write(text, HEADER_BYTES, 'utf8');
  return frame;
}

/** Messages of a request stream, one at a time; refuses an oversized length before reading the message. */
export async function* decodeFrames(body: Readable, maxBytes: number): AsyncGenerator {
  let rest: Buffer | undefined;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    let pending = rest === undefined ? chunk : Buffer.concat([rest, chunk]);
    while (pending.length >= HEADER_BYTES) {
      const flags = pending[0] ?? 0;
      const length = pending.readUInt32BE(1);
      if (length > maxBytes) {
        throw new RpcError(
          'resource_exhausted',
          `message of ${length} bytes; the limit is ${maxBytes}`,
        );
      }
      if ((flags & FLAG_COMPRESSED) !== 0) {
        throw new RpcError('unimplemented', 'compressed messages are not supported; send identity');
      }
      if (pending.length < HEADER_BYTES + length) break;
      if ((flags & FLAG_END) !== 0) return;
      yield parseJson(pending.subarray(HEADER_BYTES, HEADER_BYTES + length).toString('utf8'));
      pending = pending.subarray(HEADER_BYTES + length);
    }
    rest = pending.length === 0 ? undefined : pending;
  }
  if (rest !== undefined)
    throw new RpcError('invalid_argument', 'the request ended inside a message');
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RpcError('invalid_argument', 'the message is not valid JSON');
  }
}
