import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { pipeline, type Duplex } from 'node:stream';

import type { Clock } from '../lifecycle/clock.ts';
import { authorize, explain } from './authorize.ts';
import type { Dialer, Resolver } from './dial.ts';
import { bodyFraming, endToEndHeaders } from './headers.ts';
import type { OwnerPolicy, RuleName } from './policy.ts';
import { judgeServerName } from './server-name.ts';
import type { EgressSession } from './session.ts';
import { parseAbsoluteUrl, parseAuthority, type Target } from './target.ts';
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

/** Plain http has no tunnel: in one, nobody would see which host each request names. */
const PLAIN_HTTP_PORT = 80;
const TLS_PORT = 443;

function refuse(
  session: EgressSession,
  deps: EgressDependencies,
  { host, port }: Target,
  rule: RuleName,
  serverName?: string,
): string {
  const contact = { host, port, verdict: 'deny', rule } as const;
  session.ledger.record(
    { ...contact, ...(serverName !== undefined && { serverName }) },
    deps.clock.nowMs(),
  );
  return explain(host, rule);
}

/** `CONNECT host:port`: how https leaves. Nothing but TLS does, and under allowed names only. */
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
  if (target.port === PLAIN_HTTP_PORT) {
    answerRaw(inside, '403 Forbidden', refuse(session, deps, target, 'tunnel-port'));
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
    allowed.record();
    answerRaw(inside, '502 Bad Gateway', `Ship egress: ${target.host} did not answer.`);
    return;
  }
  outside.on('error', () => outside.destroy());
  if (inside.destroyed) {
    allowed.record();
    outside.destroy();
    return;
  }
  inside.write('HTTP/1.1 200 Connection established\r\n\r\n');
  joinTunnel({
    inside,
    outside,
    head,
    admit: (hello) => {
      const contact = { target, address: allowed.address };
      const judged = judgeServerName(contact, hello, deps.owner, session.policy);
      if (judged.verdict === 'allow') return allowed.record(judged.serverName);
      refuse(session, deps, target, judged.rule, judged.serverName);
      return undefined;
    },
    onUnadmitted: (isMalformed) => {
      if (isMalformed) refuse(session, deps, target, 'tls-only');
      else allowed.record();
    },
  });
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
  if (target.port === TLS_PORT) {
    answer(response, 403, refuse(session, deps, target, 'tls-only'));
    return;
  }
  const allowed = await authorize(session, target, deps.owner, deps.resolve, deps.clock);
  if (allowed.verdict === 'deny') {
    answer(response, 403, allowed.explanation);
    return;
  }
  const meter = allowed.record();
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
    reply.on('data', (chunk: Buffer) => meter.in(chunk.length));
    response.writeHead(reply.statusCode ?? 502, endToEndHeaders(reply));
    pipeline(reply, response, () => undefined);
  });
  outgoing.on('error', () => answer(response, 502, `Ship egress: ${target.host} broke off.`));
  request.on('data', (chunk: Buffer) => meter.out(chunk.length));
  pipeline(request, outgoing, () => undefined);
  response.on('close', () => outgoing.destroy());
}
