import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';

import type { Meter } from '../egress/ledger.ts';
import type { EgressSession } from '../egress/session.ts';
import { RegistryError } from './errors.ts';
import { parsePath } from './path.ts';
import { serveCargo } from './protocols/cargo.ts';
import { serveGo } from './protocols/go.ts';
import { serveMaven } from './protocols/maven.ts';
import { serveNpm } from './protocols/npm.ts';
import { servePypi } from './protocols/pypi.ts';
import type { GatewayRequest, ProtocolDeps, Reply } from './reply.ts';
import type { RegistrySettings } from './settings/index.ts';

type Serve = (deps: ProtocolDeps, incoming: GatewayRequest) => Promise<Reply>;
const KINDS: ReadonlyMap<string, Serve> = new Map([
  ['npm', serveNpm],
  ['pypi', servePypi],
  ['go', serveGo],
  ['cargo', serveCargo],
  ['maven', serveMaven],
]);
/** npm and yarn post the list of packages there; an empty answer keeps it inside. */
const AUDIT = /^\/npm\/-\/npm\/v1\/security\/(?:advisories\/bulk|audits(?:\/quick)?)$/;
const MAX_AUDIT_BYTES = 16 * 1_048_576;

interface GatewayOptions extends ProtocolDeps {
  settings: () => RegistrySettings;
  onFailure: (message: string) => void;
}

/** Package requests of sandboxes: GET and HEAD only, and only to registries of the owner's configuration. */
export class RegistryGateway {
  readonly #options: GatewayOptions;

  constructor(options: GatewayOptions) {
    this.#options = options;
  }

  async handle(
    session: EgressSession,
    meter: Meter,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    try {
      if (request.method === 'POST' && AUDIT.test(request.url ?? ''))
        return await audit(request, response);
      if (request.method !== 'GET' && request.method !== 'HEAD')
        throw new RegistryError(
          405,
          'The registry gateway is read-only; publish from your own machine',
        );
      const { serve, segments } = this.#route(request.url ?? '');
      const { headers } = request;
      const settings = this.#options.settings();
      const reply = await serve(this.#options, { session, segments, headers, settings });
      await this.#send(reply, meter, request, response);
    } catch (error) {
      if (response.headersSent) response.destroy();
      else refuse(response, this.#asRefusal(error));
    }
  }

  #route(url: string): { serve: Serve; segments: string[] } {
    const segments = parsePath(url);
    if (segments === undefined)
      throw new RegistryError(400, 'The registry gateway does not accept this path');
    const [kind = '', ...rest] = segments;
    const dash = kind.startsWith('@') ? 2 : 1;
    // npm drops the path of the configured registry when it appends a lock file's path.
    if (segments[dash] === '-' && segments.length === dash + 2)
      return { serve: serveNpm, segments };
    const serve = KINDS.get(kind);
    if (serve === undefined)
      throw new RegistryError(404, 'The registry gateway supports npm, pypi, go, cargo and maven');
    return { serve, segments: rest };
  }

  #asRefusal(error: unknown): RegistryError {
    if (error instanceof RegistryError) return error;
    // Its message may contain anything, so the client gets none of it.
    const code = (error as NodeJS.ErrnoException | undefined)?.code ?? 'no code';
    this.#options.onFailure(`the registry gateway failed: ${code}`);
    return new RegistryError(500, 'The registry gateway failed; see the log of the sandbox server');
  }

  async #send(
    reply: Reply,
    meter: Meter,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const isStale = reply.kind === 'text' ? reply.isStale === true : reply.served.isStale;
    if (isStale) {
      response.setHeader(
        'warning',
        '110 ship "the package registry does not answer; this is its earlier answer"',
      );
      response.setHeader('x-ship-registry', 'stale');
    }
    if (reply.kind === 'text') {
      const body = Buffer.from(reply.text);
      response.writeHead(200, { 'content-type': reply.contentType, 'content-length': body.length });
      meter.in(body.length);
      response.end(request.method === 'HEAD' ? undefined : body);
      return;
    }
    await this.#sendStored(reply.served.entry, meter, request, response);
  }

  async #sendStored(
    entry: { blob: string; size: number; contentType: string },
    meter: Meter,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const etag = `"${entry.blob}"`;
    if (request.headers['if-none-match'] === etag) {
      response.writeHead(304, { etag }).end();
      return;
    }
    const file = await this.#options.cache.openBlob(entry);
    if (file === undefined)
      throw new RegistryError(424, 'The file was evicted meanwhile; try again');
    const { contentType, size } = entry;
    response.writeHead(200, { 'content-type': contentType, 'content-length': size, etag });
    if (request.method === 'HEAD') {
      response.end();
      await file.close();
      return;
    }
    meter.in(size);
    try {
      await pipeline(file.createReadStream({ autoClose: false }), response);
    } finally {
      // Not left to the stream: if the client is already gone it never opens, and would leak the file.
      await file.close();
    }
  }
}

async function audit(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_AUDIT_BYTES) throw new RegistryError(413, 'The request is too large');
  }
  response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
}

/** Also in the reason phrase: pip and cargo show that, but not the body. */
export function refuse(response: ServerResponse, { status, message }: RegistryError): void {
  const line = message.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 300);
  const body = `${JSON.stringify({ error: line })}\n`;
  response.writeHead(status, line, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  });
  response.end(body);
}
