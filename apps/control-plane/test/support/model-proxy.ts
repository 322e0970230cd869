import { type Server, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Stands in for the model gateway: the sandbox server forwards to it, and it forwards to the scripted model. */
export interface ModelProxy {
  address: string;
  /** The body of the newest request, as the agent sent it. */
  newest(): string;
  close(): Promise<void>;
}

export async function openModelProxy(modelUrl: string): Promise<ModelProxy> {
  let newest = '';
  const server: Server = createServer((incoming, outgoing) => {
    const path = (incoming.url ?? '').replace(/^\/gateway\/models/, '');
    const onward = request(
      new URL(path, modelUrl),
      // No keep-alive here, and a long one below: a reused connection may be just closing at the other end, which would be
      // an unintended failure of the model.
      { method: incoming.method, headers: incoming.headers, agent: false },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.on('error', () => outgoing.destroy());
        answer.on('close', () => (answer.complete ? undefined : outgoing.destroy()));
        answer.pipe(outgoing);
      },
    );
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => (newest = Buffer.concat(chunks).toString()));
    incoming.pipe(onward);
  });
  server.keepAliveTimeout = 75_000;
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    newest: () => newest,
    address: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
