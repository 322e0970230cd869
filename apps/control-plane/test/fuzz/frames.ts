/** Valid and invalid WebSocket frames as bytes, and a client that sends them. */
import { type Socket, connect } from 'node:net';
import fc from 'fast-check';

const SILENCE_MS = 1_000;
const MASK = Buffer.from([1, 2, 3, 4]);

function frame(opcode: number, payload: Buffer, { isMasked = true, isFinal = true } = {}): Buffer {
  const first = (isFinal ? 0x80 : 0) | opcode;
  const maskBit = isMasked ? 0x80 : 0;
  const length =
    payload.length < 126
      ? Buffer.from([first, maskBit | payload.length])
      : Buffer.from([first, maskBit | 126, payload.length >> 8, payload.length & 0xff]);
  const masked = isMasked
    ? Buffer.from(payload.map((byte, index) => byte ^ (MASK[index % 4] ?? 0)))
    : payload;
  return Buffer.concat([length, ...(isMasked ? [MASK] : []), masked]);
}

const text = (words: string) => frame(1, Buffer.from(words));

function close(code: number): Buffer {
  return frame(8, Buffer.from([code >> 8, code & 0xff]));
}

export const fuzzedFrame: fc.Arbitrary<Buffer> = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }).map((words) => text(words.toWellFormed())),
  fc.jsonValue().map((value) => text(JSON.stringify(value))),
  fc
    .record({ type: fc.constantFrom('replay', 'hello', 'ping'), after: fc.jsonValue() })
    .map((message) => text(JSON.stringify(message))),
  fc.uint8Array({ maxLength: 400 }).map((bytes) => frame(2, Buffer.from(bytes))),
  fc.uint8Array({ maxLength: 400 }).map((bytes) => frame(1, Buffer.from(bytes))),
  fc
    .constantFrom(0, 1, 999, 1000, 1004, 1005, 1006, 1012, 1015, 2999, 4400, 5000, 65535)
    .map(close),
  fc.nat(15).map((opcode) => frame(opcode, Buffer.from('x'))),
  fc.constant(frame(1, Buffer.from('"'), { isMasked: false })),
  fc.constant(frame(1, Buffer.from('{"type":"re'), { isFinal: false })),
  fc.uint8Array({ minLength: 1, maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
);

/** Opens a raw WebSocket, sends the frames, and waits until the server closes it or falls silent. */
export function sendFrames(
  port: number,
  token: string,
  path: string,
  frames: readonly Buffer[],
): Promise<string> {
  return new Promise((resolve) => {
    const socket: Socket = connect(port, '127.0.0.1', () => {
      socket.write(
        `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\n` +
          'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
          'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
      );
    });
    let received = '';
    let isOpen = false;
    const done = () => {
      socket.destroy();
      resolve(received);
    };
    // After an incomplete frame the server waits for the rest.
    socket.setTimeout(SILENCE_MS, done);
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
      if (isOpen || !received.includes('\r\n\r\n')) return;
      isOpen = true;
      if (!received.startsWith('HTTP/1.1 101')) return done();
      for (const each of frames) socket.write(each);
      // An incomplete frame may swallow the close frame: then the end of the TCP stream closes the socket.
      socket.end(close(1000));
    });
    socket.on('error', done);
    socket.on('close', done);
  });
}
