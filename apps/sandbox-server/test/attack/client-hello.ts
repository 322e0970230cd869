/** Builds ClientHellos as an attacker would: any extension, any number of names, split into any number of records. */
const HANDSHAKE = 22;

const vector = (width: 1 | 2 | 3, content: Buffer): Buffer => {
  const length = Buffer.alloc(width);
  length.writeUIntBE(content.length, 0, width);
  return Buffer.concat([length, content]);
};

export const extension = (type: number, content: Buffer): Buffer => {
  const head = Buffer.alloc(2);
  head.writeUInt16BE(type);
  return Buffer.concat([head, vector(2, content)]);
};

export const serverName = (...names: string[]): Buffer => {
  const entries = names.map((name) =>
    Buffer.concat([Buffer.from([0]), vector(2, Buffer.from(name, 'latin1'))]),
  );
  return extension(0, vector(2, Buffer.concat(entries)));
};

/** The whole handshake message, without records. */
export function helloMessage(...extensions: Buffer[]): Buffer {
  const body = Buffer.concat([
    Buffer.from([3, 3]),
    Buffer.alloc(32, 7),
    vector(1, Buffer.alloc(0)),
    vector(2, Buffer.from([0x13, 0x01])),
    vector(1, Buffer.from([0])),
    vector(2, Buffer.concat(extensions)),
  ]);
  return Buffer.concat([Buffer.from([1]), vector(3, body)]);
}

export const record = (content: Buffer, type = HANDSHAKE): Buffer =>
  Buffer.concat([Buffer.from([type, 3, 1]), vector(2, content)]);

/** Split into records of this many bytes each. */
export function records(message: Buffer, bytesEach = 16_384): Buffer {
  const pieces: Buffer[] = [];
  for (let at = 0; at < message.length; at += bytesEach)
    pieces.push(record(message.subarray(at, at + bytesEach)));
  return Buffer.concat(pieces);
}
