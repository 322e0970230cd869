import * as fc from 'fast-check';

import type { HttpCase, Live } from './types.ts';
import { anyBody, headerText, nastySegment, wrongValue } from './values.ts';

const RPC = [
  'process.Process/List',
  'process.Process/Connect',
  'process.Process/Update',
  'process.Process/SendInput',
  'process.Process/SendSignal',
  'process.Process/CloseStdin',
  'process.Process/Nope',
  'filesystem.Filesystem/Stat',
  'filesystem.Filesystem/ListDir',
  'filesystem.Filesystem/Move',
  'filesystem.Filesystem/MakeDir',
  'filesystem.Filesystem/Remove',
  'filesystem.Filesystem/CreateWatcher',
  'nope.Nope/Nope',
];

export function envdCase(live: Live): fc.Arbitrary<HttpCase> {
  const nastyPath = fc.constantFrom(
    '/etc/shadow',
    '../../../etc/passwd',
    '\0',
    '',
    '/proc/self/mem',
    '/dev/zero/x',
    `/${'d/'.repeat(3_000)}`,
    '~root/.ssh',
    '/home/user/\udc00',
  );
  const message = fc.record(
    {
      path: fc.oneof(wrongValue, nastyPath),
      source: wrongValue,
      destination: wrongValue,
      process: wrongValue,
      pid: wrongValue,
      signal: wrongValue,
      depth: wrongValue,
      input: wrongValue,
      selector: wrongValue,
    },
    { requiredKeys: [] },
  );
  const rpc = fc
    .tuple(fc.constantFrom(...RPC), anyBody(message))
    .map(([name, body]) => ({ method: 'POST', path: `/${name}`, body }));
  const files = fc
    .tuple(fc.constantFrom('GET', 'POST', 'PUT', 'DELETE'), nastySegment, nastySegment)
    .map(([method, path, user]) => ({
      method,
      path: `/files?path=${path}&username=${user}`,
      body:
        method === 'GET'
          ? undefined
          : '--x\r\nContent-Disposition: form-data; name="file"\r\n\r\ncut',
    }));
  const token = fc.oneof(
    { weight: 4, arbitrary: fc.constant(live.accessToken) },
    { weight: 1, arbitrary: headerText },
  );
  const type = fc.constantFrom(
    'application/json',
    'application/connect+json',
    'application/proto',
    'multipart/form-data',
    'multipart/form-data; boundary=x',
    'application/octet-stream',
    '',
  );
  const user = fc.constantFrom(
    '',
    'Basic dXNlcjo=',
    'Basic cm9vdDo=',
    'Basic !!!',
    'Basic bm9ib2R5Og==',
    'Bearer x',
  );
  const port = fc.constantFrom('49983', '49983', '49983', '1', '65535', '70000', '-1', 'x', '');
  return fc
    .tuple(fc.oneof(rpc, files), token, type, user, port)
    .map(([request, accessToken, contentType, authorization, sandboxPort]) => ({
      kind: 'http' as const,
      ...request,
      headers: {
        'e2b-sandbox-id': live.sandboxId,
        'e2b-sandbox-port': sandboxPort,
        'x-access-token': accessToken,
        'content-type': contentType,
        authorization,
      },
    }));
}
