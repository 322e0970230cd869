import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { relay, releaseAsRead } from './relay.ts';
import { release } from './release.ts';

const BYTES = 24 * 2 ** 20;
/** No two positions are equal: a chunk that was freed too early, or sent twice, shows. */
const BODY = Buffer.alloc(BYTES);
for (let at = 0; at < BYTES; at += 4) BODY.writeUInt32LE(at, at);

async function readAll(message: IncomingMessage, isSlow: boolean): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const chunk of message as AsyncIterable<Buffer>) {
    parts.push(chunk);
    if (isSlow && parts.length % 16 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return Buffer.concat(parts);
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

/** Echoes the body; `/cut` closes in the middle of its answer. */
const origin = createServer((incoming, outgoing) => {
  readAll(incoming, incoming.url === '/slow').then(
    (body) => {
      if (incoming.url !== '/cut') return outgoing.end(body);
      outgoing.writeHead(200, { 'content-length': body.length });
      return outgoing.write(body.subarray(0, BYTES / 2), () => outgoing.destroy());
    },
    () => outgoing.destroy(),
  );
});
const middle = createServer((incoming, outgoing) => {
  const { method, url: path } = incoming;
  const call = request({ port: portOf(origin), method, path });
  releaseAsRead(call);
  call.on('error', () => outgoing.destroy());
  call.on('response', (answer) => {
    outgoing.writeHead(answer.statusCode ?? 0);
    relay(answer, outgoing);
  });
  relay(incoming, call);
});

beforeAll(async () => {
  for (const server of [origin, middle]) await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => {
  for (const server of [origin, middle]) {
    server.closeAllConnections();
    server.close();
  }
});

function ask(path: string): { call: ReturnType<typeof request>; answer: Promise<IncomingMessage> } {
  const call = request({ port: portOf(middle), method: 'POST', path });
  const answer = once(call, 'response').then(([message]) => message as IncomingMessage);
  return { call, answer };
}

it.each([
  ['/fast', false],
  ['/slow', true],
])(
  '[TX1] relays bodies byte for byte, %s readers included',
  async (path, isSlow) => {
    const { call, answer } = ask(path);
    call.end(BODY);
    const got = await readAll(await answer, isSlow);
    expect(got.equals(BODY)).toBe(true);
  },
  60_000,
);

it('[TX2] an answer that is cut off is cut off for the client too', async () => {
  const { call, answer } = ask('/cut');
  call.end(BODY);
  await expect(readAll(await answer, false)).rejects.toThrow('aborted');
}, 60_000);

it('[TX2] a client that disconnects in the middle of its body is noticed at the other end', async () => {
  const seen = once(origin, 'request').then(([incoming]) => incoming as IncomingMessage);
  const { call, answer } = ask('/fast');
  answer.catch(() => {});
  call.on('error', () => {});
  call.write(BODY.subarray(0, 1_000));
  const incoming = await seen;
  const gone = new Promise((resolve) => incoming.once('close', resolve));
  call.destroy();
  await gone;
  expect(incoming.complete).toBe(false);
}, 60_000);

it('[TX3] only a chunk that owns its whole buffer frees it', () => {
  const own = Buffer.from(new ArrayBuffer(8_192));
  release(own);
  expect(own.length).toBe(0);
  const block = Buffer.from(new ArrayBuffer(16_384));
  const part = block.subarray(0, 8_192);
  release(part);
  expect([part.length, block.length]).toEqual([8_192, 16_384]);
  const small = Buffer.from(new ArrayBuffer(100));
  release(small);
  expect(small.length).toBe(100);
});
