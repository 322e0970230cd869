import * as fc from 'fast-check';

import type { HttpCase, Live } from './types.ts';
import { anyBody, headerText, nastySegment, wrongValue } from './values.ts';

const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD'];

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

export function apiCase(live: Live): fc.Arbitrary<HttpCase> {
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
    // The live sandbox is never killed or paused: later cases need it.
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
