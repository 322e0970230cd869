import { rmSync } from 'node:fs';
import { type Server, createServer } from 'node:http';
import { join } from 'node:path';
import type { DemoTask, HostEditor, HostStatus, PartHealth } from '@ship/protocol';
import type { DataFolder } from './data-folder.ts';

export const STATUS_SOCKET = 'host.sock';

interface HostAnswers {
  parts: () => PartHealth[];
  /** Undefined for a name that cannot be one. */
  demo: (name: string) => DemoTask | undefined;
  editor: { status: () => HostEditor; install: () => HostEditor };
}

/**
 * What only the host can do for the control plane, on a socket that only this user can open: say how its parts are, make a folder,
 * install what all sandboxes share.
 */
export class StatusServer {
  readonly #server: Server;
  readonly #data: DataFolder;

  constructor(data: DataFolder, answers: HostAnswers) {
    this.#data = data;
    this.#server = createServer(({ method, url }, response) => {
      const [status, body] = answerTo(`${method} ${url}`, answers);
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
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

function answerTo(asked: string, { parts, demo, editor }: HostAnswers): [number, object] {
  if (asked === 'GET /status') return [200, { parts: parts() } satisfies HostStatus];
  if (asked === 'GET /editor') return [200, editor.status()];
  if (asked === 'PUT /editor') return [200, editor.install()];
  const name = /^PUT \/demo\/(\w+)$/.exec(asked)?.[1];
  try {
    const task = name === undefined ? undefined : demo(name);
    return task === undefined ? [404, {}] : [200, task];
  } catch (cause) {
    // A full disk, or no git: the host must not end with it.
    process.stderr.write(`ship: the demo could not be prepared: ${String(cause)}\n`);
    return [500, {}];
  }
}
