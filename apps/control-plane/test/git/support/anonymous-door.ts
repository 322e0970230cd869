/** Leads to the control plane without saying which sandbox asks: as from a cloud, where only the capability tells. */
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface AnonymousDoor {
  url: string;
  close(): void;
}

export async function openAnonymousDoor(planeUrl: string): Promise<AnonymousDoor> {
  const server = createServer((incoming, outgoing) => {
    const { 'x-ship-sandbox-id': _, ...headers } = incoming.headers;
    const { method } = incoming;
    const onward = request(new URL(incoming.url ?? '', planeUrl), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
