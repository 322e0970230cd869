/**
 * Inspects a client's tunnel traffic until its TLS server name can no longer change. That is more than the first message:
 * a server may request a second ClientHello (HelloRetryRequest), and some servers use the name in that one.
 */
import { CLIENT_HELLO, parseClientHello, type ClientHello } from './client-hello.ts';

const RECORD = { changeCipherSpec: 20, handshake: 22, applicationData: 23 };
const HEADER_BYTES = 5;
/** RFC 8446 allows 2^14 and 256 more. */
const MAX_RECORD_BYTES = 16_384 + 256;
/** Hellos have 200 to 2,000 bytes; session tickets make some longer. */
const MAX_HELLO_BYTES = 32_768;
const MAX_RECORDS_PER_HELLO = 64;
/** With one byte at a time, each push copies everything buffered. */
const MAX_PIECES = 4_096;

interface Watched {
  /** May be forwarded to the server, once the hellos are accepted. */
  pass: Buffer;
  hellos: ClientHello[];
  /** `over`: no later message can change the name. */
  state: 'watching' | 'over' | 'malformed';
}

type Step =
  | { kind: 'more' }
  | { kind: 'malformed' }
  | { kind: 'over' }
  | { kind: 'skip'; bytes: number }
  | { kind: 'hello'; bytes: number; hello: ClientHello };

const MORE: Step = { kind: 'more' };
const MALFORMED: Step = { kind: 'malformed' };
const OVER: Step = { kind: 'over' };

export class HelloInspector {
  #buffered: Buffer = Buffer.alloc(0);
  #pieces = 0;
  #isFirst = true;
  #hasEarlyData = false;

  push(chunk: Buffer): Watched {
    const bytes = this.#buffered.length === 0 ? chunk : Buffer.concat([this.#buffered, chunk]);
    const hellos: ClientHello[] = [];
    let at = 0;
    for (;;) {
      const step = readStep(bytes.subarray(at), this.#isFirst, this.#hasEarlyData);
      if (step.kind === 'over') return { pass: bytes, hellos, state: 'over' };
      if (step.kind === 'malformed')
        return { pass: bytes.subarray(0, 0), hellos, state: step.kind };
      if (step.kind === 'more') {
        this.#pieces = at > 0 ? 0 : this.#pieces + 1;
        this.#buffered = bytes.subarray(at);
        const state = this.#pieces > MAX_PIECES ? 'malformed' : 'watching';
        return { pass: bytes.subarray(0, at), hellos, state };
      }
      at += step.bytes;
      if (step.kind === 'skip') continue;
      this.#isFirst = false;
      this.#hasEarlyData ||= step.hello.hasEarlyData;
      hellos.push(step.hello);
    }
  }
}

function readStep(bytes: Buffer, isFirst: boolean, hasEarlyData: boolean): Step {
  const [type] = bytes;
  if (type === undefined) return MORE;
  if (type === RECORD.handshake) return readHello(bytes, isFirst);
  if (isFirst) return MALFORMED;
  const isBetween =
    type === RECORD.changeCipherSpec || (type === RECORD.applicationData && hasEarlyData);
  if (!isBetween) return OVER;
  const length = recordLength(bytes);
  if (length === 'invalid') return MALFORMED;
  if (length === undefined || bytes.length < HEADER_BYTES + length) return MORE;
  return { kind: 'skip', bytes: HEADER_BYTES + length };
}

function recordLength(bytes: Buffer): number | 'invalid' | undefined {
  if (bytes.length < HEADER_BYTES) return undefined;
  const length = bytes.readUInt16BE(3);
  // An empty record is useless to a client, and servers differ in how they read it.
  return bytes[1] === 3 && length > 0 && length <= MAX_RECORD_BYTES ? length : 'invalid';
}

/** One ClientHello, from the records that the client split it into. */
function readHello(bytes: Buffer, isFirst: boolean): Step {
  const pieces: Buffer[] = [];
  let at = 0;
  for (let records = 0; records < MAX_RECORDS_PER_HELLO; records += 1) {
    if (bytes.length > at && bytes[at] !== RECORD.handshake) return MALFORMED;
    const length = recordLength(bytes.subarray(at));
    if (length === 'invalid') return MALFORMED;
    if (length === undefined) return MORE;
    const end = at + HEADER_BYTES + length;
    pieces.push(bytes.subarray(at + HEADER_BYTES, end));
    const message = pieces.length === 1 ? (pieces[0] ?? bytes) : Buffer.concat(pieces);
    // After the first hello: another handshake message, or an encrypted one. Neither carries a name.
    if (!looksLikeHello(message)) return isFirst ? MALFORMED : OVER;
    const needed = message.length < 4 ? 4 : 4 + message.readUIntBE(1, 3);
    if (needed > MAX_HELLO_BYTES) return MALFORMED;
    if (bytes.length < end) return MORE;
    at = end;
    if (message.length < needed) continue;
    const hello = message.length === needed ? parseClientHello(message) : undefined;
    return hello === undefined ? MALFORMED : { kind: 'hello', bytes: at, hello };
  }
  return MALFORMED;
}

/** Checks type and major version. An encrypted message can begin with one of these bytes by chance, hardly with both. */
function looksLikeHello(message: Buffer): boolean {
  const [type, , , , major] = message;
  return (type ?? CLIENT_HELLO) === CLIENT_HELLO && (major ?? 3) === 3;
}
