/** A client of a terminal socket, as the web app is one, that renders nothing. */
import {
  type SessionId,
  type TerminalClientMessage,
  TerminalServerMessage,
  type TerminalServerMessage as Message,
} from '@ship/protocol';
import { WebSocket } from 'ws';
import { until } from './api.ts';

interface Where {
  url: string;
  token: string;
  sessionId: SessionId;
  name: string;
  query?: string;
  /** A stalled viewer acknowledges no output. */
  isStalled?: boolean;
  headers?: Record<string, string>;
}

export class TerminalViewer {
  readonly messages: Message[] = [];
  text = '';
  receivedBytes = 0;
  pongs = 0;
  closeCode: number | undefined;
  /** The HTTP status of a refused handshake. */
  status: number | undefined;
  readonly #socket: WebSocket;
  readonly #decoder = new TextDecoder();
  #isStalled: boolean;

  constructor({ url, token, sessionId, name, query = '', isStalled = false, headers }: Where) {
    const path = `/api/sessions/${sessionId}/terminals/${name}${query}`;
    this.#isStalled = isStalled;
    this.#socket = new WebSocket(url.replace('http', 'ws') + path, {
      headers: headers ?? { authorization: `Bearer ${token}` },
    });
    this.#socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (isBinary) this.#take(data);
      else if (data.toString() === 'pong') this.pongs += 1;
      else this.messages.push(TerminalServerMessage.parse(JSON.parse(data.toString())));
    });
    this.#socket.on('close', (code) => (this.closeCode = code));
    this.#socket.on('unexpected-response', (_, response) => {
      this.status = response.statusCode;
      this.closeCode = 1006;
      response.destroy();
    });
    this.#socket.on('error', () => {});
  }

  #take(data: Buffer): void {
    this.text += this.#decoder.decode(data, { stream: true });
    this.receivedBytes += data.length;
    if (!this.#isStalled) this.send({ type: 'ack', bytes: data.length });
  }

  /** Acknowledges all received output, and each further chunk at once. */
  unstall(): void {
    this.#isStalled = false;
    this.send({ type: 'ack', bytes: this.receivedBytes });
  }

  send(message: TerminalClientMessage): void {
    this.sendText(JSON.stringify(message));
  }

  sendText(text: string): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(text);
  }

  type(data: string): void {
    this.send({ type: 'input', data });
  }

  async ready(): Promise<Message & { type: 'ready' }> {
    return this.message('ready');
  }

  async message<Type extends Message['type']>(type: Type): Promise<Message & { type: Type }> {
    const isIt = (one: Message): one is Message & { type: Type } => one.type === type;
    const found = await until(
      () => this.messages.find(isIt),
      (one) => one !== undefined,
    );
    if (found === undefined) throw new Error(`no ${type}`);
    return found;
  }

  shows(text: string): Promise<string> {
    return until(
      () => this.text,
      (shown) => shown.includes(text),
    );
  }

  closed(): Promise<number | undefined> {
    return until(
      () => this.closeCode,
      (code) => code !== undefined,
    );
  }

  async leave(): Promise<void> {
    this.#socket.close();
    await this.closed();
  }
}
