import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { pipeline } from 'node:stream';

import { gatewayPath } from './gateway-path.ts';
import { bodyFraming, endToEndHeaders } from './headers.ts';
import type { Meter } from './ledger.ts';

/** The part of the control plane that a sandbox may reach: one prefix. */
export interface GatewayUpstream {
  /** `http://127.0.0.1:4400` or `unix:/run/ship/control.sock`. */
  address: string;
  /** Added to every request, such as the secret that authenticates this server to the control plane. */
  headers?: Record<string, string>;
}

const GATEWAY_PREFIXES = { models: '/gateway/models', git: '/gateway/git' } as const;
export type GatewayName = keyof typeof GATEWAY_PREFIXES;

/** Identifies the sandbox, in a header that only this server can set: it drops every `x-ship-` header from inside. */
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

/** Forwards one request of a sandbox to its gateway and streams the response back. */
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
  // A sandbox that disconnects must also abort a model call, which would otherwise keep costing money.
  response.on('close', () => {
    // The other end notices a plain close only at its next write; until then the model call would be paid for.
    if (!response.writableFinished) outgoing.socket?.resetAndDestroy();
    outgoing.destroy();
  });
}
