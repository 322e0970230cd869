import { type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, systemClock } from '../clock.ts';
import { Ledger, type LedgerReport } from '../ledger/ledger.ts';
import { openAiError } from '../protocols/chat/encode.ts';
import { generalScript } from '../script/compile.ts';
import type { Script } from '../script/script.ts';
import { FaultCounter } from './fault-counter.ts';
import type { ServerDeps } from './model-request.ts';
import { route } from './routes.ts';
import { sendJson } from './send-json.ts';

export interface DemoModelOptions {
  /** Default: 0, any free port. */
  port?: number;
  host?: string;
  /** Default: the built-in general script. */
  script?: Script;
  clock?: Clock;
  apiKey?: string;
}

export interface DemoModel {
  /** Ends with `/v1`, as clients of OpenAI's protocols expect. */
  baseUrl: string;
  served(session?: string): LedgerReport;
  close(): Promise<void>;
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/;

export async function startDemoModel(options: DemoModelOptions = {}): Promise<DemoModel> {
  const host = options.host ?? '127.0.0.1';
  // There is no authentication: on another address anyone could send requests and read prompts in the ledger.
  if (!LOOPBACK.test(host))
    throw new Error(`The demo model listens on loopback only, not on ${host}`);
  const deps: ServerDeps = {
    script: options.script ?? generalScript,
    ledger: new Ledger(),
    faults: new FaultCounter(),
    clock: options.clock ?? systemClock,
    apiKey: options.apiKey,
  };
  const closing = new AbortController();
  const server = createServer((request, response) => {
    const signal = AbortSignal.any([closing.signal, disconnectSignal(response)]);
    route(deps, request, response, signal).catch(() => fail(response));
  });
  // Agents reuse a connection for the next step: with Node's default of 5 s, closing it races with a request in flight.
  server.keepAliveTimeout = 75_000;
  server.requestTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://${host === '::1' ? '[::1]' : host}:${port}/v1`,
    served: (session) => deps.ledger.report(session),
    close: () =>
      new Promise((resolve) => {
        closing.abort();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Fires when the client disconnects before its answer is complete. */
function disconnectSignal(response: ServerResponse): AbortSignal {
  const disconnected = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) disconnected.abort();
  });
  return disconnected.signal;
}

/** An unexpected error ends this request, not the server. */
function fail(response: ServerResponse): void {
  if (response.headersSent || response.destroyed) response.destroy();
  else
    sendJson(
      response,
      500,
      openAiError({ status: 500, kind: 'server-error', message: 'Internal error' }),
    );
}
