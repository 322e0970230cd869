import { once } from 'node:events';
import {
  mkdtemp,
  open,
  readFile,
  rm,
  truncate,
  writeFile,
  type FileHandle,
} from 'node:fs/promises';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { chunksOf } from '../../streams/chunks.ts';
import { sendFile } from './read-file.ts';
import { TooLargeError, writeFrom } from './write-file.ts';

const BYTES = 5 * 2 ** 20 + 3;
const CONTENT = Buffer.alloc(BYTES);
for (let at = 0; at + 4 <= BYTES; at += 4) CONTENT.writeUInt32LE(at, at);

let folder = '';
let file: FileHandle;
let server: Server;
let failure: Promise<unknown>;
const socketPath = (): string => join(folder, 'socket');
const path = (): string => join(folder, 'file');

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ship-bodies-'));
  file = await open(path(), 'w+');
  server = createServer((request, response) => {
    const [start, end] = (request.url ?? '').slice(1).split('-').map(Number);
    failure = sendFile(file, response, { start: start ?? 0, end }).then(
      () => undefined,
      (error: unknown) => {
        response.destroy();
        return error;
      },
    );
  });
  await once(server.listen(socketPath()), 'listening');
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await file.close();
  await rm(folder, { recursive: true, force: true });
});

function* pieces(sizes: readonly number[]): Generator<Buffer> {
  for (let at = 0, turn = 0; at < BYTES; turn += 1) {
    const size = sizes[turn % sizes.length] ?? BYTES;
    // Separate buffers, as a socket delivers them.
    yield Buffer.from(new Uint8Array(CONTENT.subarray(at, at + size)).buffer);
    at += size;
  }
}

const request = async (range: string): Promise<IncomingMessage> => {
  const [answer] = (await once(
    get({ socketPath: socketPath(), path: `/${range}` }),
    'response',
  )) as [IncomingMessage];
  return answer;
};

it.each([[[65_536]], [[1, 65_536, 4_097]], [[3_000_000]]])(
  '[TX1] a body in pieces of %j bytes becomes the file',
  async (sizes) => {
    const target = await open(join(folder, 'written'), 'w');
    const source = chunksOf(Readable.from(pieces(sizes), { objectMode: false }));
    await writeFrom(source, target, { maxBytes: BYTES, ownsChunks: true });
    await target.close();
    expect((await readFile(join(folder, 'written'))).equals(CONTENT)).toBe(true);
  },
);

it('[TX2] an oversized body is refused, and one that is cut off fails the write', async () => {
  const target = await open(join(folder, 'refused'), 'w');
  const whole = Readable.from(pieces([65_536]), { objectMode: false });
  const tooLarge = writeFrom(chunksOf(whole), target, { maxBytes: BYTES - 1, ownsChunks: true });
  await expect(tooLarge).rejects.toBeInstanceOf(TooLargeError);
  expect(whole.destroyed).toBe(true);
  const broken = new Readable({ read: () => {} });
  const cut = writeFrom(chunksOf(broken), target, { maxBytes: BYTES, ownsChunks: true });
  broken.push(Buffer.alloc(100));
  broken.destroy();
  await expect(cut).rejects.toThrow('Premature close');
  await target.close();
});

it('[TX2] a disk failure is reported, with no write left in progress', async () => {
  const readOnly = await open(path(), 'r');
  const source = chunksOf(Readable.from(pieces([65_536]), { objectMode: false }));
  const failed = writeFrom(source, readOnly, { maxBytes: BYTES, ownsChunks: true });
  await expect(failed).rejects.toThrow('EBADF');
  await readOnly.close();
});

it('[TX1] a file is sent byte for byte, in whole or in part', async () => {
  await writeFile(path(), CONTENT);
  for (const [start, end] of [
    [0, BYTES],
    [7, 4_000_001],
  ] as const) {
    const parts: Buffer[] = [];
    for await (const chunk of (await request(`${start}-${end}`)) as AsyncIterable<Buffer>)
      parts.push(chunk);
    expect(Buffer.concat(parts).equals(CONTENT.subarray(start, end))).toBe(true);
    expect(await failure).toBe(undefined);
  }
});

it('[TX2] a file that shrank and a client that disconnected end the transfer', async () => {
  await writeFile(path(), CONTENT);
  const answer = await request(`0-${BYTES}`);
  answer.on('error', () => {});
  answer.destroy();
  expect(await failure).toBeInstanceOf(Error);
  await truncate(path(), 1_000);
  const short = await request(`0-${BYTES}`);
  short.on('error', () => {}).resume();
  expect(await failure).toMatchObject({ message: 'the file was truncated while it was read' });
});
