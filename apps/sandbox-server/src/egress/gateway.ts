import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { pipeline } from 'node:stream';

import { gatewayPath } from './gateway-path.ts';
import { bodyFraming, endToEndHeaders } from './headers.ts';
import type { Meter } from './ledger.ts';

/** The control plane as a sandbox may see it: one prefix of it. */
export interface GatewayUpstream {
  /** `http://127.0.0.1:4400` or `unix:/run/ship/control.sock`. */
  address: string;
  /** Added to every request, such as the secret by which the control plane knows this server. */
  headers?: Record<string, string>;
}

const GATEWAY_PREFIXES = { models: '/gateway/models', git: '/gateway/git' } as const;
export type GatewayName = keyof typeof GATEWAY_PREFIXES;

/** Who asks, in a header that only this server can set: every `x-ship-` header from inside is dropped. */
export const SANDBOX_ID_HEADER = 'X-Ship-Sandbox-Id';

function refuse(response: ServerResponse, status: number, message: string): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const body = JSON.stringify({ error: { code: 'gateway_refused', message } });
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  });
  response.end(body);
}

function requestOptions(upstream: GatewayUpstream): {
  secure: boolean;
  host: string;
  options: { host?: string; port?: number; socketPath?: string };
} {
  if (upstream.address.startsWith('unix:')) {
    return { secure: false, host: 'localhost', options: { socketPath: upstream.address.slice(5) } };
  }
  const url = new URL(upstream.address);
  const secure = url.protocol === 'https:';
  const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port);
  return { secure, host: url.host, options: { host: url.hostname, port } };
}

/** Sends one request of a sandbox to its gateway and streams the answer back. */
export function forwardToGateway(
  name: GatewayName,
  upstream: GatewayUpstream | undefined,
  sandboxId: string,
  meter: Meter,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  if (upstream === undefined) {
    refuse(response, 503, `No ${name} gateway is configured for this sandbox server.`);
    return;
  }
  const mapped = gatewayPath(GATEWAY_PREFIXES[name], request.url ?? '');
  if ('refused' in mapped) {
    refuse(response, 400, `The ${name} gateway refused the request: ${mapped.refused}.`);
    return;
  }
  const { secure, host, options } = requestOptions(upstream);
  const added = Object.entries(upstream.headers ?? {});
  const reserved = new Set(added.map(([header]) => header.toLowerCase()));
  const headers = [
    'Host',
    host,
    ...endToEndHeaders(
      request,
      (header) =>
        header === 'host' ||
        header === 'expect' ||
        header.startsWith('x-ship-') ||
        reserved.has(header),
    ),
    ...bodyFraming(request),
    ...added.flat(),
    SANDBOX_ID_HEADER,
    sandboxId,
  ];
  const send = secure ? httpsRequest : httpRequest;
  const outgoing = send({
    ...options,
    method: request.method,
    path: mapped.path,
    headers,
    agent: false,
    setHost: false,
  });
  outgoing.on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, endToEndHeaders(answer));
    answer.on('data', (chunk: Buffer) => meter.in(chunk.length));
    pipeline(answer, response, () => undefined);
  });
  outgoing.on('error', () => {
    refuse(response, 502, `The ${name} gateway is not reachable right now; try again shortly.`);
  });
  request.on('data', (chunk: Buffer) => meter.out(chunk.length));
  pipeline(request, outgoing, () => undefined);
  // A sandbox that hangs up must also end a model call that would go on costing money.
  response.on('close', () => {
    // A plain close is noticed at the other end only when it next writes; a model call would be paid for until then.
    if (!response.writableFinished) outgoing.socket?.resetAndDestroy();
    outgoing.destroy();
  });
}
