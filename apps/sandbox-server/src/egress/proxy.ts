import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { pipeline, type Duplex } from 'node:stream';

import { authorize, type Authority } from './authorize.ts';
import type { Dialer } from './dial.ts';
import { dialUpstream, ProxyFailure } from './dial-upstream.ts';
import { dialForward } from './forward-dial.ts';
import { bodyFraming, endToEndHeaders } from './headers.ts';
import type { RuleName } from './policy.ts';
import { answerConnect, answerRequest, explain } from './refusal.ts';
import { judgeServerName } from './server-name.ts';
import type { EgressSession } from './session.ts';
import { parseAbsoluteUrl, parseAuthority, type Target } from './target.ts';
import { joinTunnel } from './tunnel.ts';

export interface EgressDeps extends Authority {
  dial: Dialer;
}

function recordMalformed(session: EgressSession, text: string, nowMs: number): string {
  session.ledger.record({ host: text, port: 0, verdict: 'deny', rule: 'malformed' }, nowMs);
  return explain(text, 'malformed');
}

function unreachable(host: string, error: unknown): string {
  const reason = error instanceof ProxyFailure ? `: ${error.message}` : '';
  return `Ship egress: ${JSON.stringify(host)} is allowed but could not be reached${reason}.`;
}

/** Plain http gets no tunnel: it would hide the host that each request names. */
const PLAIN_HTTP_PORT = 80;
const TLS_PORT = 443;

function refuse(
  session: EgressSession,
  deps: EgressDeps,
  { host, port }: Target,
  rule: RuleName,
  serverName?: string,
): string {
  const attempt = { host, port, verdict: 'deny', rule } as const;
  session.ledger.record(
    { ...attempt, ...(serverName !== undefined && { serverName }) },
    deps.clock.nowMs(),
  );
  return explain(host, rule);
}

/** `CONNECT host:port`, for https. Only TLS passes, and only with allowed server names. */
export async function handleConnect(
  session: EgressSession,
  deps: EgressDeps,
  request: IncomingMessage,
  inside: Duplex,
  head: Buffer,
): Promise<void> {
  inside.on('error', () => inside.destroy());
  const authority = request.url ?? '';
  const target = parseAuthority(authority);
  if (target === undefined) {
    answerConnect(inside, 400, recordMalformed(session, authority, deps.clock.nowMs()));
    return;
  }
  if (target.port === PLAIN_HTTP_PORT) {
    answerConnect(inside, 403, refuse(session, deps, target, 'tunnel-port'));
    return;
  }
  const allowed = await authorize(session, target, 'https', deps);
  if (allowed.verdict === 'deny') {
    answerConnect(inside, 403, allowed.explanation);
    return;
  }
  let outside: Duplex;
  try {
    outside = await dialUpstream(allowed.destination, deps.dial);
  } catch (error) {
    allowed.record();
    answerConnect(inside, 502, unreachable(target.host, error));
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
      const attempt = { target, address: allowed.destination.address };
      const judged = judgeServerName(attempt, hello, deps.owner, session.policy);
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
  deps: EgressDeps,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const parsed = parseAbsoluteUrl(request.url ?? '');
  if (parsed === undefined) {
    answerRequest(response, 400, recordMalformed(session, request.url ?? '', deps.clock.nowMs()));
    return;
  }
  const { target, path } = parsed;
  if (target.port === TLS_PORT) {
    answerRequest(response, 403, refuse(session, deps, target, 'tls-only'));
    return;
  }
  const allowed = await authorize(session, target, 'http', deps);
  if (allowed.verdict === 'deny') {
    answerRequest(response, 403, allowed.explanation);
    return;
  }
  const meter = allowed.record();
  let dialled: Awaited<ReturnType<typeof dialForward>>;
  try {
    dialled = await dialForward(allowed.destination, deps.dial);
  } catch (error) {
    answerRequest(response, 502, unreachable(target.host, error));
    return;
  }
  const { socket: outside, proxyHeaders } = dialled;
  if (response.destroyed) {
    outside.destroy();
    return;
  }
  const hostText =
    target.kind === 'address' && target.ip.family === 6 ? `[${target.host}]` : target.host;
  const authority = target.port === 80 ? hostText : `${hostText}:${target.port}`;
  const outgoing = httpRequest({
    method: request.method,
    // A proxy expects the absolute URL, a server only the path.
    path: proxyHeaders === undefined ? path : `http://${authority}${path}`,
    headers: [
      'Host',
      authority,
      ...Object.entries(proxyHeaders ?? {}).flat(),
      ...endToEndHeaders(request, (name) => name === 'host' || name === 'expect'),
      ...bodyFraming(request),
    ],
    setHost: false,
    // With any `agent`, even `false`, Node ignores this and would resolve and dial on its own.
    createConnection: () => outside,
  });
  outgoing.on('response', (reply) => {
    reply.on('data', (chunk: Buffer) => meter.in(chunk.length));
    response.writeHead(reply.statusCode ?? 502, endToEndHeaders(reply));
    pipeline(reply, response, () => undefined);
  });
  outgoing.on('error', () =>
    answerRequest(response, 502, `Ship egress: ${target.host} closed the connection.`),
  );
  request.on('data', (chunk: Buffer) => meter.out(chunk.length));
  pipeline(request, outgoing, () => undefined);
  response.on('close', () => outgoing.destroy());
}
