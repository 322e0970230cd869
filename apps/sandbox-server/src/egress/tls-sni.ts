/**
 * Reads the server name out of the first bytes of a TLS conversation. A tunnel to an allowed host on a shared CDN could
 * otherwise ask the CDN for any other site (domain fronting): the name inside must be allowed as well.
 */
export type Sniff =
  | { state: 'more' }
  | { state: 'not-tls' }
  | { state: 'hello'; serverName: string | undefined };

const HANDSHAKE_RECORD = 22;
const CLIENT_HELLO = 1;
const SERVER_NAME_EXTENSION = 0;
const MAX_RECORD_BYTES = 16_384 + 5;

export function sniffServerName(bytes: Buffer): Sniff {
  if (bytes.length === 0) return { state: 'more' };
  if (bytes[0] !== HANDSHAKE_RECORD) return { state: 'not-tls' };
  if (bytes.length < 5) return { state: 'more' };
  const recordEnd = 5 + bytes.readUInt16BE(3);
  if (bytes[1] !== 3 || recordEnd > MAX_RECORD_BYTES) return { state: 'not-tls' };
  if (bytes.length < recordEnd) return { state: 'more' };
  try {
    return { state: 'hello', serverName: readHello(bytes.subarray(5, recordEnd)) };
  } catch {
    // A hello cut over several records, or nonsense: no name can be read, so none is confirmed.
    return { state: 'hello', serverName: '' };
  }
}

function readHello(hello: Buffer): string | undefined {
  if (hello[0] !== CLIENT_HELLO) throw new RangeError('not a client hello');
  let at = 4 + 2 + 32;
  at += 1 + hello.readUInt8(at);
  at += 2 + hello.readUInt16BE(at);
  at += 1 + hello.readUInt8(at);
  if (at === hello.length) return undefined;
  const end = at + 2 + hello.readUInt16BE(at);
  at += 2;
  if (end > hello.length) throw new RangeError('extensions are cut');
  while (at < end) {
    const type = hello.readUInt16BE(at);
    const length = hello.readUInt16BE(at + 2);
    const body = hello.subarray(at + 4, at + 4 + length);
    if (type === SERVER_NAME_EXTENSION) {
      const nameLength = body.readUInt16BE(3);
      if (body.length < 5 + nameLength) throw new RangeError('the name is cut');
      return body
        .subarray(5, 5 + nameLength)
        .toString('latin1')
        .toLowerCase();
    }
    at += 4 + length;
  }
  return undefined;
}
