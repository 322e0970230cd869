import { rmSync } from 'node:fs';
import { type Server, createServer } from 'node:http';
import { join } from 'node:path';
import type { DemoTask, HostEditor, HostStatus, PartHealth } from '@ship/protocol';
import type { DataFolder } from './data-folder.ts';

export const STATUS_SOCKET = 'host.sock';

interface HostHandlers {
  parts: () => PartHealth[];
  /** Undefined for an invalid name. */
  demo: (name: string) => DemoTask | undefined;
  editor: { status: () => HostEditor; install: () => HostEditor };
}

/**
 * Host operations for the control plane, on a socket that only this user can open: component health, the demo's repository, and
 * the installation of the shared editor.
 */
export class StatusServer {
  readonly #server: Server;
  readonly #data: DataFolder;

  constructor(data: DataFolder, handlers: HostHandlers) {
    this.#data = data;
    this.#server = createServer(({ method, url }, response) => {
      const [status, body] = respond(`${method} ${url}`, handlers);
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    });
  }

  async listen(): Promise<void> {
    // Removes the socket of a killed host; the data folder's lock ensures that no process listens on it.
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

function respond(asked: string, { parts, demo, editor }: HostHandlers): [number, object] {
  if (asked === 'GET /status') return [200, { parts: parts() } satisfies HostStatus];
  if (asked === 'GET /editor') return [200, editor.status()];
  if (asked === 'PUT /editor') return [200, editor.install()];
  const name = /^PUT \/demo\/(\w+)$/.exec(asked)?.[1];
  try {
    const task = name === undefined ? undefined : demo(name);
    return task === undefined ? [404, {}] : [200, task];
  } catch (cause) {
    // A full disk or a missing git must not crash the host.
    process.stderr.write(`ship: the demo could not be prepared: ${String(cause)}\n`);
    return [500, {}];
  }
}
