/** Seeded requests that no sane client sends. */
import * as fc from 'fast-check';

export interface HttpCase {
  kind: 'http';
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
}

export interface RawCase {
  kind: 'raw';
  /** To the server's port, or to the way out of a sandbox. */
  door: 'front' | 'egress';
  /** Sent with pauses in between; then the connection is closed. */
  parts: string[];
}

export type FuzzCase = HttpCase | RawCase;

/** What a case may name; the live ones make it reach past the first check. */
export interface Live {
  apiKey: string;
  sandboxId: string;
  accessToken: string;
}

const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD'];

/** Printable bytes only where a client library insists on them. */
const headerText = fc.string({ unit: 'grapheme-ascii', maxLength: 60 }).map((text) => text.trim());

const nastySegment = fc.oneof(
  fc.constantFrom(
    '..',
    '.',
    '%2e%2e',
    '%2f',
    '..%2f..%2fetc%2fpasswd',
    '%00',
    '%',
    '%zz',
    '%c0%ae',
    ';',
    '*',
    '~',
  ),
  fc.constantFrom(
    '__proto__',
    'constructor',
    'toString',
    'null',
    'undefined',
    'NaN',
    '-1',
    '0',
    '1e309',
  ),
  fc.integer({ min: 1, max: 3 }).map((size) => 'A'.repeat(10 ** (size + 1))),
  fc
    .string({ unit: 'binary', maxLength: 20 })
    .map((text) => encodeURIComponent(text.replaceAll(/[\ud800-\udfff]/g, '?'))),
);

const wrongValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(
    null,
    true,
    false,
    0,
    -1,
    1.5,
    1e308,
    '',
    [],
    {},
    [[]],
    'x'.repeat(5_000),
    '\0',
    '../../etc',
  ),
  fc.jsonValue({ maxDepth: 4 }),
  fc.dictionary(
    fc.constantFrom('__proto__', 'constructor', 'a', '=', ''),
    fc.jsonValue({ maxDepth: 1 }),
  ),
);

const createBody = fc.record(
  {
    templateID: fc.oneof(wrongValue, fc.constantFrom('nope', '../base', 'snap:..', 'BASE/../base')),
    timeout: wrongValue,
    metadata: wrongValue,
    envVars: wrongValue,
    network: fc.oneof(
      wrongValue,
      fc.record(
        {
          allowOut: wrongValue,
          denyOut: wrongValue,
          rules: wrongValue,
          httpsPorts: wrongValue,
          egressProxy: wrongValue,
        },
        { requiredKeys: [] },
      ),
    ),
    autoPause: wrongValue,
    autoResume: wrongValue,
    volumeMounts: wrongValue,
    secure: wrongValue,
  },
  { requiredKeys: [] },
);

const smallBody = fc.record(
  {
    timeout: wrongValue,
    memory: wrongValue,
    name: wrongValue,
    count: wrongValue,
    duration: wrongValue,
    allowOut: wrongValue,
  },
  { requiredKeys: [] },
);

function anyBody(json: fc.Arbitrary<unknown>): fc.Arbitrary<string | undefined> {
  const text = json.map((value) => JSON.stringify(value));
  return fc.oneof(
    { weight: 6, arbitrary: text },
    { weight: 2, arbitrary: fc.tuple(text, fc.nat(40)).map(([whole, cut]) => whole.slice(0, cut)) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 200 }) },
    { weight: 1, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.constant('['.repeat(20_000)) },
  );
}

function apiCase(live: Live): fc.Arbitrary<HttpCase> {
  const idPart = fc.oneof(
    nastySegment,
    fc.constantFrom(live.sandboxId.toUpperCase(), `${live.sandboxId}x`, 'i'.repeat(64)),
  );
  const action = fc.constantFrom(
    '',
    '/connect',
    '/timeout',
    '/pause',
    '/resume',
    '/snapshots',
    '/fork',
    '/network',
    '/metrics',
    '/logs',
    '/refreshes',
  );
  const prefix = fc.constantFrom(
    '/sandboxes',
    '/v2/sandboxes',
    '/ship/sandboxes',
    '/templates',
    '/templates/aliases',
    '/volumes',
    '/secrets',
    '/v3/templates',
  );
  const path = fc.oneof(
    fc.tuple(prefix, idPart, action).map(([base, id, tail]) => `${base}/${id}${tail}`),
    fc.constantFrom(
      '/sandboxes',
      '/v2/sandboxes',
      '/snapshots',
      '/templates',
      '/teams',
      '/ship/pool',
      '/',
    ),
    fc.array(nastySegment, { maxLength: 4 }).map((parts) => `/${parts.join('/')}`),
    // The live sandbox is only asked, timed and measured, never ended: later cases need it.
    fc
      .constantFrom('/timeout', '/refreshes', '/network', '/metrics', '/logs', '')
      .map((tail) => `/sandboxes/${live.sandboxId}${tail}`),
  );
  const query = fc.oneof(
    fc.constant(''),
    fc
      .tuple(
        fc.constantFrom(
          'limit',
          'nextToken',
          'state',
          'metadata',
          'order',
          'startedAfter',
          'start',
          'end',
          'sandbox_ids',
        ),
        nastySegment,
      )
      .map(([key, value]) => `?${key}=${value}`),
  );
  const key = fc.oneof(
    { weight: 8, arbitrary: fc.constant(live.apiKey) },
    { weight: 1, arbitrary: headerText },
  );
  return fc
    .tuple(fc.constantFrom(...METHODS), path, query, key, anyBody(fc.oneof(createBody, smallBody)))
    .map(([method, target, tail, apiKey, body]) => ({
      kind: 'http' as const,
      method: method === 'DELETE' && target.includes(live.sandboxId) ? 'GET' : method,
      path: `${target}${tail}`,
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      body: method === 'GET' || method === 'HEAD' ? undefined : body,
    }));
}

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

function envdCase(live: Live): fc.Arbitrary<HttpCase> {
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

function rawCase(live: Live): fc.Arbitrary<RawCase> {
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
      arbitrary: front.map((parts) => ({ kind: 'raw' as const, door: 'front' as const, parts })),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(preamble, speech)
        .map((parts) => ({ kind: 'raw' as const, door: 'egress' as const, parts })),
    },
  );
}

export function fuzzCases(live: Live, seed: number, count: number): FuzzCase[] {
  const any: fc.Arbitrary<FuzzCase> = fc.oneof(
    { weight: 5, arbitrary: apiCase(live) },
    { weight: 4, arbitrary: envdCase(live) },
    { weight: 2, arbitrary: rawCase(live) },
  );
  return fc.sample(any, { seed, numRuns: count });
}
