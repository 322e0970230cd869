import { TERMINAL_TAIL_BYTES } from '@ship/protocol';
import { TAIL_MARK, TAIL_MARK_END } from './recorder.ts';

/** A tail comes whole: it is bounded, and who shows it must know its length before. */
export type Part = { kind: 'live' | 'tail'; bytes: Uint8Array };

const encoder = new TextEncoder();
const MARK = encoder.encode(TAIL_MARK);
const HEADER = /^(\d{1,7})$/;
const LONGEST_HEADER = MARK.length + 7 + TAIL_MARK_END.length;

/**
 * Tells the tail in a terminal's output from the rest. Everybody who is connected gets the tail that one of them asked
 * for; the others must leave it out, or they would see everything twice.
 */
export class TailReader {
  #held: Uint8Array = new Uint8Array();
  #tail: { bytes: Uint8Array; filled: number } | undefined;

  push(chunk: Uint8Array): Part[] {
    const parts: Part[] = [];
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
        // Not ours after all, whoever wrote it.
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

/** A recorder that says nothing for so long says nothing at all. */
const TAIL_WITHIN_MS = 5_000;

/**
 * What one viewer is shown. Live output before the awaited tail is in the tail, too, and is left out. After a while without
 * a tail live output is shown, and the tail, which has it again, is left out. A sandbox that is only slow, and showed
 * nothing meanwhile, loses none of its past by that.
 */
export class TailGate {
  readonly #liveFromMs: number;
  #isAwaited: boolean;

  constructor(hasTail: boolean, nowMs: number) {
    this.#isAwaited = hasTail;
    this.#liveFromMs = nowMs + TAIL_WITHIN_MS;
  }

  lets({ kind }: Part, nowMs: number): boolean {
    const wasAwaited = this.#isAwaited;
    if (kind === 'live' && wasAwaited && nowMs < this.#liveFromMs) return false;
    this.#isAwaited = false;
    return kind === 'live' || wasAwaited;
  }
}

/** Where a mark begins, or may begin with what follows; the length when there is none. */
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
  const text = String.fromCharCode(...bytes.subarray(0, LONGEST_HEADER));
  if (text.length < MARK.length) return 'more';
  const end = text.indexOf(TAIL_MARK_END, MARK.length);
  if (end === -1) return text.length < LONGEST_HEADER ? 'more' : undefined;
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
