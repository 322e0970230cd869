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
import { Keyboard } from './keyboard.ts';
import type { OpenTerminal, TerminalRequest, TerminalSize } from './port.ts';
import { TailGate, TailReader } from './tail.ts';

/** A viewer that takes nothing for so long holds up the shell, and everybody else who looks at it. */
const STALLED_AFTER_MS = 30_000;
/** How long a shell outlives the access of its viewer. */
const CHECK_EVERY_MS = 10_000;

export interface BridgeParts {
  name: TerminalName;
  size: TerminalSize;
  open: (request: TerminalRequest) => Promise<OpenTerminal>;
  /** Asked from time to time: a token that was revoked must not keep its shell. */
  isAllowed: () => Promise<boolean>;
}

/** One viewer's socket on one side, one terminal on the other. Nothing is kept here: all of it may be lost. */
export class TerminalBridge {
  readonly #socket: WebSocket;
  readonly #parts: BridgeParts;
  readonly #window = new FlowWindow(TERMINAL_WINDOW_BYTES);
  readonly #tail = new TailReader();
  readonly #keyboard: Keyboard;
  readonly #opening = Promise.withResolvers<OpenTerminal | undefined>();
  #terminal: OpenTerminal | undefined;
  #gate = new TailGate(false, 0);
  #isClosed = false;

  constructor(socket: WebSocket, parts: BridgeParts) {
    this.#socket = socket;
    this.#parts = parts;
    this.#keyboard = new Keyboard(
      async (bytes) => (await this.#opening.promise)?.write(bytes),
      (thrown) => this.#failed(thrown),
    );
  }

  /** Until either side has gone. */
  async run(): Promise<void> {
    const socket = this.#socket;
    socket.addEventListener('message', ({ data }) => this.#receive(data));
    socket.addEventListener('close', () => this.#leave());
    socket.addEventListener('error', () => this.#leave());
    const check = setInterval(() => void this.#check(), CHECK_EVERY_MS);
    try {
      const { name, size, open } = this.#parts;
      const terminal = await open({ name, ...size, onData: (bytes) => this.#show(bytes) });
      this.#opened(terminal);
      if (this.#isClosed) return await terminal.leave();
      const exitCode = await terminal.exitCode();
      // Left: there is nobody to tell.
      if (this.#isClosed) return;
      this.#say({ type: 'exit', exitCode });
      this.#close('ended');
    } catch (thrown) {
      this.#failed(thrown);
    } finally {
      clearInterval(check);
      this.#leave();
      // Who presses Enter and closes the page means both.
      await this.#keyboard.idle();
    }
  }

  #opened(terminal: OpenTerminal): void {
    const { isNew, hasTail } = terminal;
    this.#terminal = terminal;
    this.#gate = new TailGate(hasTail, Date.now());
    this.#say({ type: 'ready', isNew, hasTail });
    this.#opening.resolve(terminal);
  }

  /** What comes before we know whether a tail follows waits for that. */
  async #show(bytes: Uint8Array): Promise<void> {
    await this.#opening.promise;
    for (const part of this.#tail.push(bytes)) {
      if (!this.#gate.lets(part, Date.now())) continue;
      if (part.kind === 'tail') this.#say({ type: 'replay', bytes: part.bytes.length });
      this.#send(part.bytes);
    }
    if (this.#window.isFull) await this.#room();
  }

  async #room(): Promise<void> {
    const late = setTimeout(() => this.#close('too-slow'), STALLED_AFTER_MS);
    await this.#window.room();
    clearTimeout(late);
  }

  #receive(data: string | ArrayBuffer | Blob): void {
    if (data === PING) return sendText(this.#socket, PONG);
    const message = typeof data === 'string' ? parse(data) : undefined;
    switch (message?.type) {
      case 'input':
        if (!this.#keyboard.type(message.data)) this.#close('too-slow');
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

  async #check(): Promise<void> {
    try {
      if (!(await this.#parts.isAllowed())) this.#close('sign-in');
    } catch {
      // Asked again soon.
    }
  }

  /** Worth another try, or not: only the former comes back by itself. */
  #failed(thrown: unknown): void {
    if (this.#isClosed) return;
    const error = foreignFailure('sandbox', thrown);
    log('info', 'terminal.failed', { code: error.code });
    this.#say({ type: 'error', error });
    const mayPass = error.category === 'transient' || error.code === 'gone';
    this.#close(mayPass ? 'lost' : 'refused');
  }

  #close(reason: TerminalCloseReason): void {
    if (this.#isClosed) return;
    try {
      this.#socket.close(TERMINAL_CLOSE_CODES[reason], reason);
    } catch {
      // Closed by the other side a moment ago.
    }
    this.#leave();
  }

  #leave(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#window.close();
    this.#opening.resolve(this.#terminal);
    const terminal = this.#terminal;
    void this.#keyboard.idle().then(() => terminal?.leave());
    // Answers the other side's close; when it was ours, this says nothing.
    try {
      this.#socket.close(1000);
    } catch {
      // Closed already.
    }
  }

  #say(message: TerminalServerMessage): void {
    sendText(this.#socket, JSON.stringify(message));
  }

  #send(bytes: Uint8Array): void {
    if (this.#isClosed || bytes.length === 0) return;
    this.#window.sent(bytes.length);
    try {
      this.#socket.send(bytes);
    } catch {
      // Gone; its close event follows.
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
