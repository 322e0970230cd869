import { joined, packet, parseLength } from './pkt-line.ts';

const REF_LINE = /^([0-9a-f]{40}(?:[0-9a-f]{24})?) ([^\0\n ]+)/;
/** Lines that may come between lists of refs, or before a pack. Anything else is a pack, which has no refs in it. */
const OTHER_LINE =
  /^(?:# service=|version |unborn |shallow |unshallow |ACK |NAK|acknowledgments|ready|shallow-info|wanted-refs|ERR |agent=|ls-refs|fetch|server-option|object-format=|object-info|bundle-uri|session-id=)/;

const PEELED = / peeled:([0-9a-f]{40}(?:[0-9a-f]{24})?)/;
/**
 * Capabilities that the gateway removes: they ask for objects that no list of refs has. Without `filter`, a partial clone
 * becomes a full one; it would otherwise ask for single files by their hash later, and fail.
 */
const UNUSABLE = / (?:filter|allow-tip-sha1-in-want|allow-reachable-sha1-in-want)(?=[ \n]|$)/g;
const FETCH_FILTER = /^(fetch=.*?) filter(?=[ \n]|$)/;

/** The forge returned a ref that must be hidden: its objects would follow. */
export class HiddenRefRequested extends Error {}

/**
 * Removes refs from what a forge sends to git: lists of refs in either version of the protocol, and the first lines before a
 * pack. Detects them from the answer and not from the request, which may be compressed.
 */
export class RefScreen {
  readonly #isVisible: (ref: string) => boolean;
  readonly #onShown: ((object: string) => void) | undefined;
  #rest: Uint8Array = new Uint8Array(0);
  #isWantedRefs = false;
  /** The capabilities that version 0 of the protocol sends with the first ref, when that one is removed. */
  #capabilities: string | undefined;
  /** Everything from here on passes unchanged. */
  isDone = false;

  constructor(isVisible: (ref: string) => boolean, onShown?: (object: string) => void) {
    this.#isVisible = isVisible;
    this.#onShown = onShown;
  }

  /** The part of the chunk that may be forwarded. */
  feed(chunk: Uint8Array): Uint8Array {
    const bytes = this.#rest.length === 0 ? chunk : joined([this.#rest, chunk]);
    const out: Uint8Array[] = [];
    let at = 0;
    while (!this.isDone && bytes.length - at >= 4) {
      const length = parseLength(bytes, at);
      if (length === undefined) {
        this.isDone = true;
      } else if (length < 4) {
        out.push(...this.#atMark(bytes.subarray(at, at + 4)));
        at += 4;
      } else {
        if (bytes.length - at < length) break;
        const line = bytes.subarray(at, at + length);
        out.push(...this.#screened(line));
        at += length;
      }
    }
    this.#rest = this.isDone ? new Uint8Array(0) : bytes.slice(at);
    if (this.isDone) out.push(bytes.subarray(at));
    return joined(out);
  }

  /** At the end: an incomplete line is not a ref. */
  end(): Uint8Array {
    return this.#rest;
  }

  #screened(line: Uint8Array): Uint8Array[] {
    // Refs are bytes: one character per byte preserves them.
    const text = Array.from(line.subarray(4), (byte) => String.fromCharCode(byte)).join('');
    const [, sha = '', ref] = REF_LINE.exec(text) ?? [];
    if (ref === undefined) {
      if (!OTHER_LINE.test(text)) this.isDone = true;
      this.#isWantedRefs = text.startsWith('wanted-refs');
      const withoutFilter = text.replace(FETCH_FILTER, '$1');
      return withoutFilter === text ? [line] : [packetOf(withoutFilter)];
    }
    const mark = text.indexOf('\0');
    const stated = mark === -1 ? undefined : text.slice(mark).replaceAll(UNUSABLE, '');
    const capabilities = stated ?? this.#capabilities;
    this.#capabilities = undefined;
    if (!this.#isVisible(ref)) {
      if (this.#isWantedRefs) throw new HiddenRefRequested();
      this.#capabilities = capabilities;
      return [];
    }
    this.#onShown?.(sha);
    const peeled = PEELED.exec(text)?.[1];
    if (peeled !== undefined) this.#onShown?.(peeled);
    return capabilities === undefined ? [line] : [packetOf(`${sha} ${ref}${capabilities}`)];
  }

  /** A section ends. When all of its refs were removed, sends their capabilities as for a repository without any. */
  #atMark(mark: Uint8Array): Uint8Array[] {
    this.#isWantedRefs = false;
    if (this.#capabilities === undefined) return [mark];
    const line = packetOf(`${'0'.repeat(40)} capabilities^{}${this.#capabilities}`);
    this.#capabilities = undefined;
    return [line, mark];
  }
}

function packetOf(text: string): Uint8Array {
  return packet(Uint8Array.from(text, (character) => character.charCodeAt(0)));
}

/** The body without the hidden refs; once a pack begins, it is piped through natively. */
export function screenedBody(
  body: ReadableStream<Uint8Array>,
  refs: RefScreen,
): ReadableStream<Uint8Array> {
  // The platform's native stream: bytes then pass from socket to socket and never through a script.
  const { readable, writable } = new IdentityTransformStream();
  void screen(body, writable, refs);
  return readable;
}

async function screen(
  body: ReadableStream<Uint8Array>,
  writable: WritableStream<Uint8Array>,
  refs: RefScreen,
): Promise<void> {
  const reader = body.getReader();
  const writer = writable.getWriter();
  try {
    while (!refs.isDone) {
      const { value, done } = await reader.read();
      const piece = done ? refs.end() : refs.feed(value);
      if (piece.length > 0) await writer.write(piece);
      if (done) {
        await writer.close();
        return;
      }
    }
    reader.releaseLock();
    writer.releaseLock();
    await body.pipeTo(writable);
  } catch (error) {
    // One side is gone, or must not get more: both ends are aborted, and may be closed already.
    await Promise.allSettled([writable.abort(error), body.cancel(error)]);
    await Promise.allSettled([writer.abort(error), reader.cancel(error)]);
  }
}
