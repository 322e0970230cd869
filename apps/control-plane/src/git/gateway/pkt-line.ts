/** git's framing: four hex digits of length, including themselves, then the content. `0000` ends a section. */
export type Packet = Uint8Array;

/** A push of one branch needs one line; a longer section does not come from git doing the session's work. */
const MAX_SECTION_BYTES = 64 * 1024;

export type Section =
  /** `raw` is everything that was read: the section and the beginning of what follows. */
  | { kind: 'complete'; packets: Packet[]; raw: Uint8Array }
  | { kind: 'malformed' }
  | { kind: 'too-long' }
  /** The body ended before the section did. */
  | { kind: 'cut-off' };

export type Read = () => Promise<Uint8Array | undefined>;

/**
 * Reads packets up to the first flush and not a byte further than its chunk. Strict: input that a lenient server behind the
 * gateway might read differently is refused, because a second reading could hide a second command.
 */
export async function readSection(read: Read): Promise<Section> {
  let buffer: Uint8Array = new Uint8Array(0);
  let at = 0;
  const packets: Packet[] = [];
  for (;;) {
    for (;;) {
      if (buffer.length - at < 4) break;
      const length = parseLength(buffer, at);
      if (length === 0) return { kind: 'complete', packets, raw: buffer };
      // 1, 2 and 3 are markers of other protocols, 4 is an empty packet: none is valid here.
      if (length === undefined || length <= 4) return { kind: 'malformed' };
      if (at + length > MAX_SECTION_BYTES) return { kind: 'too-long' };
      if (buffer.length - at < length) break;
      packets.push(buffer.subarray(at + 4, at + length));
      at += length;
    }
    const chunk = await read();
    if (chunk === undefined) return { kind: 'cut-off' };
    buffer = joined([buffer, chunk]);
  }
}

/** Undefined when it is not a length. */
export function parseLength(bytes: Uint8Array, at: number): number | undefined {
  let value = 0;
  for (let i = at; i < at + 4; i += 1) {
    const byte = bytes[i] ?? 0;
    // Not parseInt, which would accept " 1", "+1" and "1x".
    const digit =
      byte >= 0x30 && byte <= 0x39
        ? byte - 0x30
        : byte >= 0x61 && byte <= 0x66
          ? byte - 0x57
          : byte >= 0x41 && byte <= 0x46
            ? byte - 0x37
            : -1;
    if (digit === -1) return undefined;
    value = value * 16 + digit;
  }
  return value;
}

export function packet(content: string | Uint8Array): Uint8Array {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  const head = new TextEncoder().encode((bytes.length + 4).toString(16).padStart(4, '0'));
  return joined([head, bytes]);
}

export const FLUSH = new TextEncoder().encode('0000');

export function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
