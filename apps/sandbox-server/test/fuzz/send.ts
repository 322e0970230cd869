import { request } from 'node:http';
import { connect } from 'node:net';

import type { HttpCase, RawCase } from './types.ts';

const ANSWER_TIMEOUT_MS = 15_000;
const RAW_QUIET_MS = 60;

/** The status, 0 when the client library refused to send it, -1 when no answer came in time. */
export function sendHttp(
  baseUrl: string,
  { method, path, headers, body }: HttpCase,
): Promise<number> {
  return new Promise((resolve) => {
    try {
      const url = new URL(baseUrl);
      const call = request(
        { host: url.hostname, port: url.port, method, path, headers },
        (response) => {
          // A stream may never end: only its head matters here.
          resolve(response.statusCode ?? -1);
          response.destroy();
        },
      );
      call.setTimeout(ANSWER_TIMEOUT_MS, () => {
        resolve(-1);
        call.destroy();
      });
      call.on('error', () => resolve(0));
      call.end(body);
    } catch {
      resolve(0);
    }
  });
}

/** Sends everything, waits a moment for an answer, closes. Returns the first status, or 0. */
export function sendRaw(
  baseUrl: string,
  egressSocket: string,
  { target, parts }: RawCase,
): Promise<number> {
  return new Promise((resolve) => {
    const url = new URL(baseUrl);
    const socket =
      target === 'front' ? connect(Number(url.port), url.hostname) : connect(egressSocket);
    let answer = '';
    const done = (): void => {
      socket.destroy();
      resolve(Number(/^HTTP\/1\.[01] ([0-9]{3})/.exec(answer)?.[1] ?? 0));
    };
    socket.on('data', (chunk) => (answer += chunk.toString('latin1').slice(0, 50)));
    socket.on('close', done);
    socket.on('error', done);
    socket.setTimeout(RAW_QUIET_MS, done);
    for (const part of parts) socket.write(part, 'latin1');
  });
}
