/**
 * Parses the first message of a TLS connection strictly: where two parsers could find two different names, it finds none.
 * Pure, and bounded by the length of its input.
 */
export interface ClientHello {
  /** As sent, in lower case; undefined when the client names no server. */
  serverName: string | undefined;
  /** Encrypted ClientHello, or its GREASE: the effective name may be another one, which cannot be read here. */
  hasEncryptedName: boolean;
  /** Data may follow before a second hello (RFC 8446, 4.2.10). */
  hasEarlyData: boolean;
}

export const CLIENT_HELLO = 1;
const EXTENSION = { serverName: 0, earlyData: 42, encryptedHello: 0xfe0d, encryptedName: 0xffce };
const HOST_NAME = 0;

class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  number(width: 1 | 2 | 3): number {
    const value = this.#bytes.readUIntBE(this.#at, width);
    this.#at += width;
    return value;
  }

  take(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new RangeError('cut off');
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }

  /** A field prefixed with its length. */
  vector(width: 1 | 2 | 3): Buffer {
    return this.take(this.number(width));
  }
}

/** A complete handshake message. Undefined if it is not a ClientHello, or not one that every server reads the same way. */
export function parseClientHello(message: Buffer): ClientHello | undefined {
  try {
    return readHello(new Reader(message));
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function readHello(message: Reader): ClientHello | undefined {
  if (message.number(1) !== CLIENT_HELLO) return undefined;
  const hello = new Reader(message.vector(3));
  hello.take(2 + 32);
  hello.vector(1);
  hello.vector(2);
  hello.vector(1);
  const extensions = new Map<number, Buffer>();
  if (!hello.isAtEnd) {
    const list = new Reader(hello.vector(2));
    while (!list.isAtEnd) {
      const type = list.number(2);
      // A server might use the first or the last of two.
      if (extensions.has(type)) return undefined;
      extensions.set(type, list.vector(2));
    }
  }
  if (!hello.isAtEnd || !message.isAtEnd) return undefined;
  const names = extensions.get(EXTENSION.serverName);
  return {
    serverName: names === undefined ? undefined : readName(new Reader(names)),
    hasEncryptedName:
      extensions.has(EXTENSION.encryptedHello) || extensions.has(EXTENSION.encryptedName),
    hasEarlyData: extensions.has(EXTENSION.earlyData),
  };
}

/** The list could contain several names of several kinds; all clients send one. */
function readName(extension: Reader): string {
  const list = new Reader(extension.vector(2));
  if (list.number(1) !== HOST_NAME) throw new RangeError('an unknown kind of name');
  const name = list.vector(2).toString('latin1').toLowerCase();
  if (!list.isAtEnd || !extension.isAtEnd) throw new RangeError('more than one name');
  return name;
}
