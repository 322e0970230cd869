/** A proxy that injects faults into the real forge. */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Fault {
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
  /** Runs before the request is forwarded, for example to simulate a concurrent client. */
  first?: () => Promise<unknown>;
  /** The request is forwarded, and its answer is lost. */
  loseAnswer?: boolean;
}

export interface FaultyProxy {
  url: string;
  /** Called for each request; undefined forwards it without a fault. */
  fault: (method: string, path: string) => Fault | undefined;
  seen: string[];
  close(): Promise<void>;
}

export async function faultyProxy(target: string): Promise<FaultyProxy> {
  const server = createServer((request, response) => {
    void (async () => {
      const { method = 'GET', url = '/' } = request;
      proxy.seen.push(`${method} ${url}`);
      const fault = proxy.fault(method, url);
      const body = await read(request);
      await fault?.first?.();
      if (fault?.status !== undefined) {
        response.writeHead(fault.status, {
          'content-type': 'application/json',
          ...fault.headers,
        });
        response.end(JSON.stringify(fault.body ?? { message: 'fault' }));
        return;
      }
      const answer = await fetch(`${target}${url}`, {
        method,
        headers: {
          'content-type': 'application/json',
          authorization: request.headers.authorization ?? '',
        },
        ...(body.length > 0 ? { body: body.toString() } : {}),
      });
      const text = await answer.text();
      if (fault?.loseAnswer === true) {
        response.destroy();
        return;
      }
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
    })();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy: FaultyProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    fault: () => undefined,
    seen: [],
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return proxy;
}

async function read(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
