import { type Server, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Stands where the model gateway is: the sandbox server's door leads here, and from here to the scripted model. */
export interface ModelDoor {
  address: string;
  /** The newest request, as the agent wrote it. */
  newest(): string;
  close(): Promise<void>;
}

export async function openModelDoor(modelUrl: string): Promise<ModelDoor> {
  let newest = '';
  const server: Server = createServer((incoming, outgoing) => {
    const path = (incoming.url ?? '').replace(/^\/gateway\/models/, '');
    const onward = request(
      new URL(path, modelUrl),
      // A connection that is used again may be one that the other end is just closing: here and below that would be a failure
      // of the model which no test asked for.
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
