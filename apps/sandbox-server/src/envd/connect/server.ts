/** Serves Connect calls over node:http: unary calls with a JSON body, streams of enveloped JSON. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { decodeFrames, encodeFrame, parseJson } from './envelope.ts';
import { HTTP_STATUS, RpcError, toRpcError } from './errors.ts';
import { asMessage, type Message } from './message.ts';
import { StreamResponse, type MessageStream } from './message-stream.ts';

/** Large enough for typed input; files have their own endpoint. */
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;
const DEFAULT_KEEPALIVE_SECONDS = 90;
const MAX_KEEPALIVE_SECONDS = 3600;

export interface Call {
  /** From `Authorization: Basic user:`; undefined means the default user. */
  username: string | undefined;
  /** `Connect-Timeout-Ms`; 0 or absent is none. */
  timeoutMs: number;
  keepaliveMs: number;
}

type Unary = (request: Message, call: Call) => Promise<Message> | Message;
type ServerStream = (request: Message, call: Call, out: MessageStream) => Promise<void>;
type ClientStream = (requests: AsyncIterable<Message>, call: Call) => Promise<Message>;

export interface Service {
  unary: Record<string, Unary>;
  serverStream: Record<string, ServerStream>;
  clientStream: Record<string, ClientStream>;
}

/** Services by name; each is loaded on its first call. */
export type Services = Record<string, () => Promise<Service>>;

/** Handles the request if `path` names a method of a service; otherwise returns false. */
export async function serveRpc(
  services: Services,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  const [, serviceName = '', method = '', ...rest] = path.split('/');
  const open = Object.hasOwn(services, serviceName) ? services[serviceName] : undefined;
  if (open === undefined || rest.length > 0) return false;
  const service = await open();
  const own = <T>(table: Record<string, T>) =>
    Object.hasOwn(table, method) ? table[method] : undefined;
  const unary = own(service.unary);
  const serverStream = own(service.serverStream);
  const clientStream = own(service.clientStream);
  const isStream = serverStream !== undefined || clientStream !== undefined;
  try {
    if (unary === undefined && !isStream) throw new RpcError('unimplemented', `no method ${path}`);
    if (request.method !== 'POST') throw new HttpRefusal(405, 'use POST');
    requireContentType(request, isStream ? 'application/connect+json' : 'application/json');
    const call = callOf(request);
    if (unary !== undefined) await answerUnary(unary, call, request, response);
    else if (serverStream !== undefined)
      await answerServerStream(serverStream, call, request, response);
    else if (clientStream !== undefined)
      await answerClientStream(clientStream, call, request, response);
  } catch (error) {
    refuse(response, error, isStream);
  }
  return true;
}

class HttpRefusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

function requireContentType(request: IncomingMessage, expected: string): void {
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  if (type !== expected) throw new HttpRefusal(415, `content type must be ${expected}`);
}

function refuse(response: ServerResponse, error: unknown, isStream: boolean): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  if (error instanceof HttpRefusal) {
    response.writeHead(error.status, { 'content-type': 'text/plain' }).end(error.message);
    return;
  }
  const { code, message } = toRpcError(error);
  if (isStream) {
    response.writeHead(200, { 'content-type': 'application/connect+json' });
    response.end(encodeFrame({ error: { code, message } }, true));
    return;
  }
  response.writeHead(HTTP_STATUS[code], { 'content-type': 'application/json' });
  response.end(JSON.stringify({ code, message }));
}

function callOf(request: IncomingMessage): Call {
  const timeout = request.headers['connect-timeout-ms'];
  const timeoutMs = timeout === undefined ? 0 : Number(timeout);
  if (!Number.isInteger(timeoutMs) || timeoutMs < 0) {
    throw new RpcError('invalid_argument', 'Connect-Timeout-Ms must be a whole number');
  }
  const seconds = Number(request.headers['keepalive-ping-interval'] ?? Number.NaN);
  const isUsable = Number.isFinite(seconds) && seconds > 0 && seconds <= MAX_KEEPALIVE_SECONDS;
  return {
    username: basicUser(request.headers.authorization),
    timeoutMs,
    keepaliveMs: (isUsable ? seconds : DEFAULT_KEEPALIVE_SECONDS) * 1000,
  };
}

/** `Authorization: Basic base64("user:")`: how E2B's SDK names the user; the password is always empty. */
export function basicUser(header: string | undefined): string | undefined {
  const encoded = /^Basic\s+([A-Za-z0-9+/=_-]+)$/i.exec(header ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const [name] = Buffer.from(encoded, 'base64').toString('utf8').split(':', 1);
  return name === '' ? undefined : name;
}

async function readBody(request: IncomingMessage): Promise<Message> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_MESSAGE_BYTES) {
      throw new RpcError('resource_exhausted', `message larger than ${MAX_MESSAGE_BYTES} bytes`);
    }
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString('utf8');
  return asMessage(text === '' ? {} : parseJson(text));
}

async function answerUnary(
  method: Unary,
  call: Call,
  request: IncomingMessage,
  response: ServerResponse,
) {
  const result = JSON.stringify(await method(await readBody(request), call));
  response.writeHead(200, { 'content-type': 'application/json' }).end(result);
}

async function firstFrame(request: IncomingMessage): Promise<Message> {
  for await (const message of decodeFrames(request, MAX_MESSAGE_BYTES)) return asMessage(message);
  throw new RpcError('invalid_argument', 'the request carries no message');
}

async function answerServerStream(
  method: ServerStream,
  call: Call,
  request: IncomingMessage,
  response: ServerResponse,
) {
  const message = await firstFrame(request);
  const out = new StreamResponse(response);
  let error: RpcError | undefined;
  try {
    await method(message, call, out);
  } catch (thrown) {
    error = toRpcError(thrown);
  }
  out.end(error === undefined ? {} : { error: { code: error.code, message: error.message } });
}

async function answerClientStream(
  method: ClientStream,
  call: Call,
  request: IncomingMessage,
  response: ServerResponse,
) {
  async function* messages() {
    for await (const message of decodeFrames(request, MAX_MESSAGE_BYTES)) yield asMessage(message);
  }
  const result = await method(messages(), call);
  response.writeHead(200, { 'content-type': 'application/connect+json' });
  response.write(encodeFrame(result));
  response.end(encodeFrame({}, true));
}
