import { request as httpRequest } from 'node:http';

import type { EnvdControl } from '../lifecycle/context.ts';
import { Refusal } from '../lifecycle/errors.ts';
import type { Connections } from './connections.ts';
import { ENVD_PORT } from './route.ts';

const TIMEOUT_MS = 10_000;

/** The server's own calls to the envd of a sandbox. */
export function createEnvdControl(connections: () => Connections): EnvdControl {
  return {
    init: (id, accessToken, env) =>
      new Promise((resolve, reject) => {
        const body = JSON.stringify({ envVars: env });
        const call = httpRequest({
          agent: connections().agent(id),
          host: '127.0.0.1',
          port: ENVD_PORT,
          method: 'POST',
          path: '/init',
          headers: {
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(body),
            ...(accessToken === undefined ? {} : { 'x-access-token': accessToken }),
          },
          signal: AbortSignal.timeout(TIMEOUT_MS),
        });
        call.on('response', (response) => {
          response.resume();
          const status = response.statusCode ?? 0;
          if (status >= 200 && status < 300) resolve();
          else
            reject(new Refusal(503, `The sandbox refused its settings (${status}).`, 'Try again.'));
        });
        call.on('error', (error) => {
          reject(
            new Refusal(
              503,
              `The sandbox did not take its settings: ${error.message}`,
              'Try again.',
            ),
          );
        });
        call.end(body);
      }),
  };
}
