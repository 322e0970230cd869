import {
  PING,
  PONG,
  TERMINAL_CLOSE_CODES,
  TERMINAL_WINDOW_BYTES,
  TerminalClientMessage,
  type TerminalCloseReason,
  type TerminalName,
  type TerminalServerMessage,
} from '@ship/protocol';
import { log } from '../platform/log.ts';
import { sendText } from '../platform/socket.ts';
import { foreignFailure } from '../sandbox/failure.ts';
import { FlowWindow } from './flow-window.ts';
import { InputQueue } from './input-queue.ts';
import type { OpenTerminal, TerminalRequest, TerminalSize } from './port.ts';
import { TailGate, TailReader } from './tail.ts';

/** A viewer that acknowledges nothing blocks the shell and its other viewers; it is disconnected after this time. */
const STALLED_AFTER_MS = 30_000;
/** A viewer keeps its shell at most this long after losing access. */
const ACCESS_CHECK_INTERVAL_MS = 10_000;

export interface TerminalBridgeDeps {
  name: TerminalName;
  size: TerminalSize;
  open: (request: TerminalRequest) => Promise<OpenTerminal>;
  /** Polled: a revoked token must not keep its shell. */
  isAllowed: () => Promise<boolean>;
}

/** Connects one viewer's socket to one terminal. Holds no durable state. */
export class TerminalBridge {
  readonly #socket: WebSocket;
  readonly #deps: TerminalBridgeDeps;
  readonly #window = new FlowWindow(TERMINAL_WINDOW_BYTES);
  readonly #tail = new TailReader();
  readonly #input: InputQueue;
  readonly #opening = Promise.withResolvers<OpenTerminal | undefined>();
  #terminal: OpenTerminal | undefined;
  #gate = new TailGate(false, 0);
  #isClosed = false;

  constructor(socket: WebSocket, deps: TerminalBridgeDeps) {
    this.#socket = socket;
    this.#deps = deps;
    this.#input = new InputQueue(
      async (bytes) => (await this.#opening.promise)?.write(bytes),
      (thrown) => this.#failed(thrown),
    );
  }

  /** Resolves when either side has closed. */
  async run(): Promise<void> {
    const socket = this.#socket;
    socket.addEventListener('message', ({ data }) => this.#receive(data));
    socket.addEventListener('close', () => this.#leave());
    socket.addEventListener('error', () => this.#leave());
    const check = setInterval(() => void this.#checkAccess(), ACCESS_CHECK_INTERVAL_MS);
    try {
      const { name, size, open } = this.#deps;
      const terminal = await open({ name, ...size, onData: (bytes) => this.#onOutput(bytes) });
      this.#opened(terminal);
      if (this.#isClosed) return await terminal.leave();
      const exitCode = await terminal.exitCode();
      // The viewer has left and no longer needs the exit code.
      if (this.#isClosed) return;
      this.#sendMessage({ type: 'exit', exitCode });
      this.#close('ended');
    } catch (thrown) {
      this.#failed(thrown);
    } finally {
      clearInterval(check);
      this.#leave();
      // Write pending input first: Enter typed just before closing the page must reach the shell.
      await this.#input.idle();
    }
  }

  #opened(terminal: OpenTerminal): void {
    const { isNew, hasTail } = terminal;
    this.#terminal = terminal;
    this.#gate = new TailGate(hasTail, Date.now());
    this.#sendMessage({ type: 'ready', isNew, hasTail });
    this.#opening.resolve(terminal);
  }

  /** Output waits until it is known whether a tail follows. */
  async #onOutput(bytes: Uint8Array): Promise<void> {
    await this.#opening.promise;
    for (const part of this.#tail.push(bytes)) {
      if (!this.#gate.passes(part, Date.now())) continue;
      if (part.kind === 'tail') this.#sendMessage({ type: 'replay', bytes: part.bytes.length });
      this.#sendBytes(part.bytes);
    }
    if (this.#window.isFull) await this.#waitForRoom();
  }

  async #waitForRoom(): Promise<void> {
    const late = setTimeout(() => this.#close('too-slow'), STALLED_AFTER_MS);
    await this.#window.room();
    clearTimeout(late);
  }

  #receive(data: string | ArrayBuffer | Blob): void {
    if (data === PING) return sendText(this.#socket, PONG);
    const message = typeof data === 'string' ? parse(data) : undefined;
    switch (message?.type) {
      case 'input':
        if (!this.#input.push(message.data)) this.#close('too-slow');
        return;
      case 'resize':
        this.#terminal?.resize(message).catch((thrown: unknown) => this.#failed(thrown));
        return;
      case 'ack':
        if (!this.#window.acknowledged(message.bytes)) this.#close('bad-message');
        return;
      case undefined:
        return this.#close('bad-message');
    }
  }

  async #checkAccess(): Promise<void> {
    try {
      if (!(await this.#deps.isAllowed())) this.#close('sign-in');
    } catch {
      // The next check tries again.
    }
  }

  /** Closes with `lost` for transient failures, after which the client reconnects, else with `refused`. */
  #failed(thrown: unknown): void {
    if (this.#isClosed) return;
    const error = foreignFailure('sandbox', thrown);
    log('info', 'terminal.failed', { code: error.code });
    this.#sendMessage({ type: 'error', error });
    const isTransient = error.category === 'transient' || error.code === 'gone';
    this.#close(isTransient ? 'lost' : 'refused');
  }

  #close(reason: TerminalCloseReason): void {
    if (this.#isClosed) return;
    try {
      this.#socket.close(TERMINAL_CLOSE_CODES[reason], reason);
    } catch {
      // The peer closed it a moment ago.
    }
    this.#leave();
  }

  #leave(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#window.close();
    this.#opening.resolve(this.#terminal);
    const terminal = this.#terminal;
    void this.#input.idle().then(() => terminal?.leave());
    // Completes the peer's close handshake; after our own close this has no effect.
    try {
      this.#socket.close(1000);
    } catch {
      // Already closed.
    }
  }

  #sendMessage(message: TerminalServerMessage): void {
    sendText(this.#socket, JSON.stringify(message));
  }

  #sendBytes(bytes: Uint8Array): void {
    if (this.#isClosed || bytes.length === 0) return;
    this.#window.sent(bytes.length);
    try {
      this.#socket.send(bytes);
    } catch {
      // Already closed; its close event follows.
    }
  }
}

function parse(text: string): TerminalClientMessage | undefined {
  try {
    return TerminalClientMessage.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
