import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

import type { Sandboxes } from '../lifecycle/sandboxes.ts';
import type { SandboxRecord } from '../store/records.ts';
import { notRunning, refusal, type Answer } from './answers.ts';
import { ENVD_PORT, isInternalEnvdPath, routeOf, type Route } from './route.ts';
import { findSigner } from './signed-url.ts';

export const TRAFFIC_TOKEN_HEADER = 'e2b-traffic-access-token';

export interface Destination {
  record: SandboxRecord;
  port: number;
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

export function sameSecret(given: string, expected: string): boolean {
  // Hashed first: equal lengths, and the timing of the comparison reveals nothing.
  return timingSafeEqual(digest(given), digest(expected));
}

function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

export function routeRequest(request: IncomingMessage, domain: string): Route {
  return routeOf(
    {
      host: request.headers.host,
      sandboxIdHeader: headerOf(request, 'e2b-sandbox-id'),
      sandboxPortHeader: headerOf(request, 'e2b-sandbox-port'),
      url: request.url ?? '/',
    },
    domain,
  );
}

/** Finds the sandbox for a request and wakes it if allowed; otherwise returns the error answer. */
export async function admitRequest(
  route: Exclude<Route, { kind: 'api' }>,
  request: IncomingMessage,
  sandboxes: Sandboxes,
): Promise<Destination | Answer> {
  if (route.kind === 'invalid') return refusal(400, route.message);
  if (route.kind === 'signed') {
    const signed = { method: request.method ?? 'GET', url: request.url ?? '/' };
    const signer = findSigner(signed, sandboxes.visible());
    if (signer === undefined)
      return refusal(401, 'The signature matches no sandbox of this server.');
    return ensureRunning({ record: signer, port: ENVD_PORT }, sandboxes);
  }
  const record = sandboxes.find(route.id);
  if (record === undefined) return notRunning(route.id);
  const { port } = route;
  if (port === ENVD_PORT && isInternalEnvdPath(request.url ?? '/')) {
    return refusal(403, 'This path is reserved for the server.');
  }
  if (port !== ENVD_PORT && record.trafficToken !== undefined) {
    const given = headerOf(request, TRAFFIC_TOKEN_HEADER);
    if (given === undefined || !sameSecret(given, record.trafficToken)) {
      const what = given === undefined ? 'is missing' : 'is invalid';
      return refusal(
        403,
        `The sandbox's traffic is private: the token in header '${TRAFFIC_TOKEN_HEADER}' ${what}.`,
      );
    }
  }
  return ensureRunning({ record, port }, sandboxes);
}

async function ensureRunning(
  destination: Destination,
  sandboxes: Sandboxes,
): Promise<Destination | Answer> {
  const { id, phase } = destination.record;
  if (phase.state === 'running') return destination;
  try {
    if (await sandboxes.wakeByTraffic(id)) return destination;
  } catch {
    // A failed wake-up counts as not running for this request, which the SDK understands.
  }
  return notRunning(id);
}
