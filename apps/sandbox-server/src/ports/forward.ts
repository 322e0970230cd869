import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';

import { bodyFraming, endToEndHeaders } from '../egress/headers.ts';
import { relay, releaseAsRead } from '../streams/relay.ts';
import { TRAFFIC_TOKEN_HEADER, type Destination } from './admit.ts';
import { notRunning, portClosed, redirectRefused, send } from './answers.ts';
import type { Connections } from './connections.ts';
import { ENVD_PORT } from './route.ts';
import { PortClosedError } from './tunnel.ts';

/** Addressed to this server, so not forwarded into the sandbox. */
const OWN_HEADERS = new Set([
  'e2b-sandbox-id',
  'e2b-sandbox-port',
  TRAFFIC_TOKEN_HEADER,
  'x-api-key',
  'expect',
]);

const HOST_PATTERN = /^[A-Za-z0-9.-]{1,253}(:[0-9]{1,5})?$/;

/**
 * The original Host header, or the one that the sandbox's owner configured. Behind another proxy, the name that the browser
 * used: a service that compares it with the page's origin would otherwise refuse its own page.
 */
export function maskedHost(
  { record, port }: Destination,
  request: IncomingMessage,
): string | undefined {
  if (port === ENVD_PORT) return undefined;
  const mask = record.network?.maskRequestHost;
  if (mask !== undefined) return mask.replaceAll('${PORT}', String(port));
  const forwarded = request.headers['x-forwarded-host'];
  return typeof forwarded === 'string' && HOST_PATTERN.test(forwarded) ? forwarded : undefined;
}

function forwardedHeaders(destination: Destination, request: IncomingMessage): string[] {
  const host = maskedHost(destination, request);
  const headers = endToEndHeaders(
    request,
    (name) => OWN_HEADERS.has(name) || (host !== undefined && name === 'host'),
  );
  return host === undefined ? headers : ['Host', host, ...headers];
}

function hasBody(request: IncomingMessage): boolean {
  const length = request.headers['content-length'];
  return (
    request.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0')
  );
}

/**
 * A streaming client waits for the head even while the command prints nothing. Data that arrived with the head is sent
 * together with it: a separate packet would wake the client twice.
 */
function flushSoon(answer: IncomingMessage, response: ServerResponse): void {
  let hasData = false;
  answer.once('data', () => (hasData = true));
  setImmediate(() => {
    if (!hasData && !response.writableEnded && !response.destroyed) response.flushHeaders();
  });
}

function isRedirect({ statusCode = 0 }: IncomingMessage): boolean {
  return statusCode >= 300 && statusCode < 400;
}

/** Forwards one request into the sandbox and its response out, both streamed with back pressure. */
export function forward(
  connections: Connections,
  destination: Destination,
  request: IncomingMessage,
  response: ServerResponse,
  isRetry = false,
): void {
  const { record, port } = destination;
  const outgoing = httpRequest({
    agent: connections.agent(record.id),
    host: '127.0.0.1',
    port,
    method: request.method,
    path: request.url,
    headers: [...forwardedHeaders(destination, request), ...bodyFraming(request)],
    setHost: false,
  });
  releaseAsRead(outgoing);
  const untrack = connections.track(record.id, outgoing, response);
  const onClose = (): void => {
    untrack();
    outgoing.destroy();
  };
  response.once('close', onClose);
  outgoing.on('response', (answer) => {
    if (port === ENVD_PORT && isRedirect(answer)) {
      answer.destroy();
      send(response, redirectRefused(record.id));
      return;
    }
    response.sendDate = false;
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, endToEndHeaders(answer));
    relay(answer, response);
    flushSoon(answer, response);
  });
  outgoing.on('error', (error: NodeJS.ErrnoException) => {
    untrack();
    if (response.destroyed || response.headersSent) {
      response.destroy();
      return;
    }
    const stale = outgoing.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
    // The sandbox had closed the kept-alive connection; nothing was read, so a retry is safe.
    if (stale && !isRetry && !hasBody(request)) {
      response.off('close', onClose);
      forward(connections, destination, request, response, true);
      return;
    }
    send(
      response,
      error instanceof PortClosedError ? portClosed(record.id, port) : notRunning(record.id),
    );
  });
  if (hasBody(request)) relay(request, outgoing);
  else outgoing.end();
}
