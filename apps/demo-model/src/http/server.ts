import { type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, systemClock } from '../clock.ts';
import { Ledger, type LedgerReport } from '../ledger/ledger.ts';
import { openAiError } from '../protocols/chat/encode.ts';
import { generalScript } from '../script/compile.ts';
import type { Script } from '../script/script.ts';
import { FaultCounter } from './fault-counter.ts';
import type { Stage } from './model-request.ts';
import { route } from './routes.ts';
import { sendJson } from './send-json.ts';

export interface DemoModelOptions {
  /** 0 or none: any free port. */
  port?: number;
  host?: string;
  /** Without one, the built-in general script answers. */
  script?: Script;
  clock?: Clock;
  apiKey?: string;
}

export interface DemoModel {
  /** Ends with `/v1`, as clients of OpenAI's protocols want it. */
  baseUrl: string;
  served(session?: string): LedgerReport;
  close(): Promise<void>;
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/;

export async function startDemoModel(options: DemoModelOptions = {}): Promise<DemoModel> {
  const host = options.host ?? '127.0.0.1';
  // It has no login: on another address anybody could spend its pretended money and read prompts in the ledger.
  if (!LOOPBACK.test(host))
    throw new Error(`The demo model listens on loopback only, not on ${host}`);
  const stage: Stage = {
    script: options.script ?? generalScript,
    ledger: new Ledger(),
    faults: new FaultCounter(),
    clock: options.clock ?? systemClock,
    apiKey: options.apiKey,
  };
  const closing = new AbortController();
  const server = createServer((request, response) => {
    const signal = AbortSignal.any([closing.signal, departure(response)]);
    route(stage, request, response, signal).catch(() => fail(response));
  });
  // Agents keep a connection for the next step; Node's default of 5 s would race with a request on its way.
  server.keepAliveTimeout = 75_000;
  server.requestTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://${host === '::1' ? '[::1]' : host}:${port}/v1`,
    served: (session) => stage.ledger.report(session),
    close: () =>
      new Promise((resolve) => {
        closing.abort();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Fires when the client leaves before its answer is complete. */
function departure(response: ServerResponse): AbortSignal {
  const left = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) left.abort();
  });
  return left.signal;
}

/** What nobody foresaw ends this request, not the server. */
function fail(response: ServerResponse): void {
  if (response.headersSent || response.destroyed) response.destroy();
  else
    sendJson(
      response,
      500,
      openAiError({ status: 500, kind: 'server-error', message: 'Internal error' }),
    );
}
