import * as fc from 'fast-check';

import type { Live, RawCase } from './types.ts';

export function rawCase(live: Live): fc.Arbitrary<RawCase> {
  const noise = fc.string({ unit: 'binary', maxLength: 300 });
  const head = fc.constantFrom(
    `POST /v2/sandboxes HTTP/1.1\r\nHost: x\r\nX-API-KEY: ${live.apiKey}\r\nContent-Length: 100000\r\n\r\n{"templateID"`,
    `POST /v2/sandboxes HTTP/1.1\r\nHost: x\r\nX-API-KEY: ${live.apiKey}\r\nTransfer-Encoding: chunked\r\n\r\nffffffff\r\n{`,
    `GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    `POST /files?path=cut HTTP/1.1\r\nHost: x\r\nE2b-Sandbox-Id: ${live.sandboxId}\r\nX-Access-Token: ${live.accessToken}\r\nContent-Type: application/octet-stream\r\nContent-Length: 999999\r\n\r\nhalf`,
    `POST /process.Process/Start HTTP/1.1\r\nHost: x\r\nE2b-Sandbox-Id: ${live.sandboxId}\r\nX-Access-Token: ${live.accessToken}\r\nContent-Type: application/connect+json\r\nContent-Length: 50\r\n\r\n\0\0\0\0\u00ff{"process"`,
    `GET /ws HTTP/1.1\r\nHost: 3000-${live.sandboxId}.localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    `GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    'CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: x\r\n\r\n',
    `GET /${'a'.repeat(20_000)} HTTP/1.1\r\n\r\n`,
    'GET / HTTP/9.9\r\n\r\n',
  );
  const front = fc.array(fc.oneof(noise, head), { minLength: 1, maxLength: 3 });
  const preamble = fc.constantFrom(
    'SHIP/1 egress\n',
    'SHIP/1 models\n',
    'SHIP/1 git\n',
    'SHIP/2 x\n',
    '',
  );
  const speech = fc.oneof(
    noise,
    fc.constantFrom(
      'CONNECT',
      'CONNECT a:1 HTTP/1.1\r\n\r\n',
      'GET http://[::1/ HTTP/1.1\r\n\r\n',
      'GET http://a.test/\u0001 HTTP/1.1\r\nHost: a\r\n\r\n',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\ncut',
      'CONNECT nope.test:443 HTTP/1.1\r\nHost: x\r\n\r\n',
    ),
  );
  return fc.oneof(
    {
      weight: 3,
      arbitrary: front.map((parts) => ({ kind: 'raw' as const, target: 'front' as const, parts })),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(preamble, speech)
        .map((parts) => ({ kind: 'raw' as const, target: 'egress' as const, parts })),
    },
  );
}
