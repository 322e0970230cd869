/** A proxy to the control plane that hides the sandbox id: from a cloud, only the capability identifies a sandbox. */
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface AnonymousProxy {
  url: string;
  close(): void;
}

export async function openAnonymousProxy(planeUrl: string): Promise<AnonymousProxy> {
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
