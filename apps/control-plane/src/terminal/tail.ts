import { TERMINAL_TAIL_BYTES } from '@ship/protocol';
import { TAIL_MARK, TAIL_MARK_END } from './recorder.ts';

/** A tail arrives whole: it is bounded, and a viewer must know its length before showing it. */
export type OutputPart = { kind: 'live' | 'tail'; bytes: Uint8Array };

const encoder = new TextEncoder();
const MARK = encoder.encode(TAIL_MARK);
const HEADER = /^(\d{1,7})$/;
const MAX_HEADER_LENGTH = MARK.length + 7 + TAIL_MARK_END.length;

/**
 * Separates the tail in a terminal's output from live output. A tail that one viewer requested reaches all viewers; the
 * others must drop it, or they would see everything twice.
 */
export class TailReader {
  #held: Uint8Array = new Uint8Array();
  #tail: { bytes: Uint8Array; filled: number } | undefined;

  push(chunk: Uint8Array): OutputPart[] {
    const parts: OutputPart[] = [];
    let rest = this.#held.length === 0 ? chunk : joined(this.#held, chunk);
    this.#held = new Uint8Array();
    while (rest.length > 0) {
      if (this.#tail !== undefined) {
        const taken = this.#fill(this.#tail, rest);
        rest = rest.subarray(taken);
        if (this.#tail.filled < this.#tail.bytes.length) break;
        parts.push({ kind: 'tail', bytes: this.#tail.bytes });
        this.#tail = undefined;
        continue;
      }
      const at = markAt(rest);
      if (at > 0) parts.push({ kind: 'live', bytes: rest.subarray(0, at) });
      rest = rest.subarray(at);
      if (rest.length === 0) break;
      const header = readHeader(rest);
      if (header === 'more') {
        this.#held = rest.slice();
        break;
      }
      if (header === undefined) {
        // Not our mark after all.
        parts.push({ kind: 'live', bytes: rest.subarray(0, 1) });
        rest = rest.subarray(1);
        continue;
      }
      rest = rest.subarray(header.length);
      if (header.bytes === 0) parts.push({ kind: 'tail', bytes: new Uint8Array() });
      else this.#tail = { bytes: new Uint8Array(header.bytes), filled: 0 };
    }
    return parts;
  }

  #fill(tail: { bytes: Uint8Array; filled: number }, source: Uint8Array): number {
    const taken = Math.min(source.length, tail.bytes.length - tail.filled);
    tail.bytes.set(source.subarray(0, taken), tail.filled);
    tail.filled += taken;
    return taken;
  }
}

/** A recorder that has not replied after this time will not reply. */
const TAIL_TIMEOUT_MS = 5_000;

/**
 * Filters the output for one viewer. Live output before the awaited tail is dropped, because the tail contains it. After a
 * timeout live output is shown, and a later tail, which would repeat it, is dropped. A slow sandbox without live output
 * meanwhile still gets its tail shown.
 */
export class TailGate {
  readonly #liveFromMs: number;
  #isAwaited: boolean;

  constructor(hasTail: boolean, nowMs: number) {
    this.#isAwaited = hasTail;
    this.#liveFromMs = nowMs + TAIL_TIMEOUT_MS;
  }

  passes({ kind }: OutputPart, nowMs: number): boolean {
    const wasAwaited = this.#isAwaited;
    if (kind === 'live' && wasAwaited && nowMs < this.#liveFromMs) return false;
    this.#isAwaited = false;
    return kind === 'live' || wasAwaited;
  }
}

/** The index where a mark begins, or may begin at the end of the chunk; the length when there is none. */
function markAt(bytes: Uint8Array): number {
  for (let at = bytes.indexOf(0x1b); at !== -1; at = bytes.indexOf(0x1b, at + 1)) {
    const length = Math.min(MARK.length, bytes.length - at);
    let same = 1;
    while (same < length && bytes[at + same] === MARK[same]) same += 1;
    if (same === length) return at;
  }
  return bytes.length;
}

function readHeader(bytes: Uint8Array): { bytes: number; length: number } | 'more' | undefined {
  const text = String.fromCharCode(...bytes.subarray(0, MAX_HEADER_LENGTH));
  if (text.length < MARK.length) return 'more';
  const end = text.indexOf(TAIL_MARK_END, MARK.length);
  if (end === -1) return text.length < MAX_HEADER_LENGTH ? 'more' : undefined;
  const count = Number(HEADER.exec(text.slice(MARK.length, end))?.[1]);
  if (!(count <= TERMINAL_TAIL_BYTES)) return undefined;
  return { bytes: count, length: end + TAIL_MARK_END.length };
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(a.length + b.length);
  bytes.set(a);
  bytes.set(b, a.length);
  return bytes;
}
