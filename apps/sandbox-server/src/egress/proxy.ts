import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { pipeline, type Duplex } from 'node:stream';

import type { Clock } from '../lifecycle/clock.ts';
import { authorize, explain } from './authorize.ts';
import type { Dialer, Resolver } from './dial.ts';
import { bodyFraming, endToEndHeaders } from './headers.ts';
import { judgeName, type OwnerPolicy } from './policy.ts';
import type { EgressSession } from './session.ts';
import { parseAbsoluteUrl, parseAuthority, parseHost, type Target } from './target.ts';
import { joinTunnel } from './tunnel.ts';

export interface EgressDependencies {
  owner: OwnerPolicy;
  resolve: Resolver;
  dial: Dialer;
  clock: Clock;
}

function answerRaw(socket: Duplex, status: string, message: string): void {
  const body = `${message}\n`;
  socket.resume();
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `Connection: close\r\n\r\n${body}`,
    () => socket.destroy(),
  );
}

function answer(response: ServerResponse, status: number, message: string): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' });
  response.end(`${message}\n`);
}

function recordMalformed(session: EgressSession, text: string, nowMs: number): string {
  session.ledger.record({ host: text, port: 0, verdict: 'deny', rule: 'malformed' }, nowMs);
  return explain(text, 'malformed');
}

/** `CONNECT host:port`: how https, and anything else on an allowed port, leaves. */
export async function handleConnect(
  session: EgressSession,
  deps: EgressDependencies,
  request: IncomingMessage,
  inside: Duplex,
  head: Buffer,
): Promise<void> {
  inside.on('error', () => inside.destroy());
  const authority = request.url ?? '';
  const target = parseAuthority(authority);
  if (target === undefined) {
    answerRaw(inside, '400 Bad Request', recordMalformed(session, authority, deps.clock.nowMs()));
    return;
  }
  const allowed = await authorize(session, target, deps.owner, deps.resolve, deps.clock);
  if (allowed.verdict === 'deny') {
    answerRaw(inside, '403 Forbidden', allowed.explanation);
    return;
  }
  let outside: Duplex;
  try {
    outside = await deps.dial(allowed.address, target.port);
  } catch {
    answerRaw(inside, '502 Bad Gateway', `Ship egress: ${target.host} did not answer.`);
    return;
  }
  outside.on('error', () => outside.destroy());
  if (inside.destroyed) {
    outside.destroy();
    return;
  }
  inside.write('HTTP/1.1 200 Connection established\r\n\r\n');
  joinTunnel({
    inside,
    outside,
    head,
    meter: allowed.meter,
    isNameAllowed:
      target.port === 443 ? (name) => isNameAllowed(session, deps, target, name) : undefined,
  });
}

function isNameAllowed(
  session: EgressSession,
  deps: EgressDependencies,
  target: Target,
  serverName: string,
): boolean {
  if (serverName === target.host) return true;
  const parsed = parseHost(serverName);
  if (parsed === undefined) return false;
  const inner: Target = { kind: 'name', host: parsed.host, port: target.port };
  const allowed =
    parsed.ip === undefined && judgeName(inner, deps.owner, session.policy).verdict === 'resolve';
  if (!allowed) {
    const contact = {
      host: parsed.host,
      port: target.port,
      verdict: 'deny',
      rule: 'not-listed',
    } as const;
    session.ledger.record(contact, deps.clock.nowMs());
  }
  return allowed;
}

/** `GET http://host/path`: plain http, such as Debian's mirrors. */
export async function handleForward(
  session: EgressSession,
  deps: EgressDependencies,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const parsed = parseAbsoluteUrl(request.url ?? '');
  if (parsed === undefined) {
    answer(response, 400, recordMalformed(session, request.url ?? '', deps.clock.nowMs()));
    return;
  }
  const { target, path } = parsed;
  const allowed = await authorize(session, target, deps.owner, deps.resolve, deps.clock);
  if (allowed.verdict === 'deny') {
    answer(response, 403, allowed.explanation);
    return;
  }
  let outside: Duplex;
  try {
    outside = await deps.dial(allowed.address, target.port);
  } catch {
    answer(response, 502, `Ship egress: ${target.host} did not answer.`);
    return;
  }
  if (response.destroyed) {
    outside.destroy();
    return;
  }
  const hostText =
    target.kind === 'address' && target.ip.family === 6 ? `[${target.host}]` : target.host;
  const outgoing = httpRequest({
    method: request.method,
    path,
    headers: [
      'Host',
      target.port === 80 ? hostText : `${hostText}:${target.port}`,
      ...endToEndHeaders(request, (name) => name === 'host' || name === 'expect'),
      ...bodyFraming(request),
    ],
    setHost: false,
    // With any `agent`, even `false`, Node ignores this and would resolve and dial by itself.
    createConnection: () => outside,
  });
  outgoing.on('response', (reply) => {
    reply.on('data', (chunk: Buffer) => allowed.meter.in(chunk.length));
    response.writeHead(reply.statusCode ?? 502, endToEndHeaders(reply));
    pipeline(reply, response, () => undefined);
  });
  outgoing.on('error', () => answer(response, 502, `Ship egress: ${target.host} broke off.`));
  request.on('data', (chunk: Buffer) => allowed.meter.out(chunk.length));
  pipeline(request, outgoing, () => undefined);
  response.on('close', () => outgoing.destroy());
}
