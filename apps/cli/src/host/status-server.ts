import { rmSync } from 'node:fs';
import { type Server, createServer } from 'node:http';
import { join } from 'node:path';
import type { HostStatus, PartHealth } from '@ship/protocol';
import type { DataFolder } from './data-folder.ts';

export const STATUS_SOCKET = 'host.sock';

/** Tells the control plane, on a socket that only this user can open, how the supervised parts are. */
export class StatusServer {
  readonly #server: Server;
  readonly #data: DataFolder;

  constructor(data: DataFolder, parts: () => PartHealth[]) {
    this.#data = data;
    this.#server = createServer((request, response) => {
      const found = request.method === 'GET' && request.url === '/status';
      const body: HostStatus = { parts: parts() };
      response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' });
      response.end(found ? JSON.stringify(body) : '{}');
    });
  }

  async listen(): Promise<void> {
    // Left behind by a host that was killed; the data folder's lock says that nobody listens on it.
    rmSync(join(this.#data.folder('run'), STATUS_SOCKET), { force: true });
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(this.#data.shortSocketPath(STATUS_SOCKET), resolve);
    });
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
