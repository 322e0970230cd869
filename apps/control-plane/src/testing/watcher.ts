/** A test client of the live list that collects its messages. */
import { LiveMessage, type NumberedChange } from '@ship/protocol';
import type { Credential } from '../platform/credential.ts';
import { writeLiveRequest } from '../workspace/live-request.ts';
import type { WorkspaceStub } from './workspace.ts';

export class Watcher {
  readonly messages: LiveMessage[] = [];
  readonly texts: string[] = [];
  closed: { code: number; reason: string } | undefined;
  readonly #socket: WebSocket;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => {
      const text = String(data);
      this.texts.push(text);
      if (text.startsWith('{')) this.messages.push(LiveMessage.parse(JSON.parse(text)));
    });
    socket.addEventListener('close', ({ code, reason }) => {
      this.closed = { code, reason };
    });
    socket.accept();
  }

  static async open(
    stub: WorkspaceStub,
    { after, credentials = [] }: { after?: number; credentials?: Credential[] } = {},
  ): Promise<Watcher> {
    const handshake = new Request('http://x/', { headers: { upgrade: 'websocket' } });
    const response = await stub.fetch(writeLiveRequest(handshake, { after, credentials }));
    if (response.webSocket === null) throw new Error(`no socket: ${response.status}`);
    const watcher = new Watcher(response.webSocket);
    await watcher.until(() => watcher.messages.length > 0);
    return watcher;
  }

  get changes(): NumberedChange[] {
    return this.messages.flatMap((message) => (message.type === 'changes' ? message.changes : []));
  }

  send(text: string): void {
    this.#socket.send(text);
  }

  close(): void {
    this.#socket.close(1000, 'done');
  }

  /** Polls a condition. */
  async until(holds: () => boolean): Promise<void> {
    for (let i = 0; i < 400; i++) {
      if (holds()) return;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    throw new Error(`condition not met in time; received: ${this.texts.join('\n')}`);
  }
}
