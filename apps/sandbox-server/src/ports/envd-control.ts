import { request as httpRequest, type OutgoingHttpHeaders } from 'node:http';

import type { EnvdControl } from '../lifecycle/context.ts';
import { Refusal } from '../lifecycle/errors.ts';
import type { Connections } from './connections.ts';
import { ENVD_PORT } from './route.ts';

const TIMEOUT_MS = 10_000;
const WARM_UP_RUNS = 3;

interface Call {
  path: string;
  headers: OutgoingHttpHeaders;
  body: Buffer;
}

/** One message of a Connect stream: a flag byte, the length, the JSON. */
function envelope(message: unknown): Buffer {
  const json = Buffer.from(JSON.stringify(message));
  const head = Buffer.alloc(5);
  head.writeUInt32BE(json.length, 1);
  return Buffer.concat([head, json]);
}

const DO_NOTHING = envelope({ process: { cmd: '/bin/bash', args: ['-l', '-c', 'true'] } });

export function createEnvdControl(connections: () => Connections): EnvdControl {
  /** Resolves when the response has ended. */
  const post = (id: string, accessToken: string | undefined, { path, headers, body }: Call) =>
    new Promise<void>((resolve, reject) => {
      const fail = (why: string): void => {
        reject(new Refusal(503, `The sandbox refused ${path}: ${why}.`, 'Try again.'));
      };
      const call = httpRequest({
        agent: connections().agent(id),
        host: '127.0.0.1',
        port: ENVD_PORT,
        method: 'POST',
        path,
        headers: {
          ...headers,
          'content-length': body.length,
          ...(accessToken === undefined ? {} : { 'x-access-token': accessToken }),
        },
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      call.on('response', (response) => {
        const status = response.statusCode ?? 0;
        response.resume();
        response.on('error', (error) => fail(error.message));
        response.on('end', () =>
          status >= 200 && status < 300 ? resolve() : fail(`status ${status}`),
        );
      });
      call.on('error', (error) => fail(error.message));
      call.end(body);
    });

  return {
    init: (id, accessToken, env) =>
      post(id, accessToken, {
        path: '/init',
        headers: { 'content-type': 'application/json' },
        body: Buffer.from(JSON.stringify({ envVars: env })),
      }),
    async warmUp(id, accessToken) {
      for (let run = 0; run < WARM_UP_RUNS; run += 1) {
        await post(id, accessToken, {
          path: '/process.Process/Start',
          headers: { 'content-type': 'application/connect+json', 'connect-protocol-version': '1' },
          body: DO_NOTHING,
        });
      }
    },
  };
}
