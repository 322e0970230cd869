import { mkdtemp, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { toRpcError } from '../connect/errors.ts';
import { contextOf } from '../context.ts';
import { createEnvd } from '../server.ts';
import { uploadFailure } from './upload.ts';

let folder = '';
let server: Server;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ship-upload-'));
  const limits = { memoryMb: 64, cpuCount: 1, diskMb: 64 };
  const config = { listenerFd: -1, accessToken: undefined, env: {}, egressSocket: undefined };
  server = createEnvd(contextOf({ ...config, separateRoot: false, limits }));
  await new Promise<void>((resolve) => server.listen(join(folder, 'socket'), resolve));
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true, force: true });
});

/** Sends half of the body and half-closes; resolves with the response status, or undefined. */
function sendHalf(head: readonly string[], half: Buffer): Promise<number | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ path: join(folder, 'socket'), allowHalfOpen: true });
    let answer = '';
    socket.on('data', (chunk) => (answer += chunk.toString('latin1')));
    socket.on('error', () => {});
    socket.on('close', () => {
      const status = /^HTTP\/1\.1 ([0-9]{3})/.exec(answer)?.[1];
      resolve(status === undefined ? undefined : Number(status));
    });
    socket.on('end', () => socket.destroy());
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    socket.write(half, () => setTimeout(() => socket.end(), 5));
  });
}

const post = (name: string): string =>
  `POST /files?username=root&path=${encodeURIComponent(join(folder, name))} HTTP/1.1`;
const COMPRESSED = gzipSync(Buffer.alloc(100_000, 'x'));
const FORM = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nhalf';

const named = (code: string): Error => Object.assign(new Error('aborted'), { code });

describe('an upload whose connection is lost', () => {
  it.each([
    ['with a length', ['Content-Type: application/octet-stream', 'Content-Length: 999'], 'half'],
    [
      'in chunks',
      ['Content-Type: application/octet-stream', 'Transfer-Encoding: chunked'],
      '4\r\nhalf\r\n',
    ],
    ['as a form', ['Content-Type: multipart/form-data; boundary=b', 'Content-Length: 999'], FORM],
    [
      'compressed',
      [
        'Content-Type: application/octet-stream',
        'Content-Encoding: gzip',
        `Content-Length: ${COMPRESSED.length}`,
      ],
      COMPRESSED.subarray(0, 50),
    ],
  ])('[SV5] %s gets 400 or nothing', async (name, headers, half) => {
    const head = [post(name), 'Host: x', ...headers];
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => sendHalf(head, Buffer.from(half))),
    );
    expect(answers.filter((status) => status !== undefined && status !== 400)).toEqual([]);
  });

  it('[SV5] is a client error, whichever code Node gives it', () => {
    for (const code of ['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE', 'EPIPE']) {
      expect(uploadFailure(named(code)).status).toBe(400);
      expect(toRpcError(named(code)).code).toBe('canceled');
    }
    expect(uploadFailure(named('EIO')).status).toBe(500);
  });

  it('[SV5] a folder that is deleted meanwhile, or a resource shortage, is not a server error', () => {
    expect(uploadFailure(named('ENOENT')).status).toBe(404);
    expect(uploadFailure(named('EMFILE')).status).toBe(503);
  });
});
