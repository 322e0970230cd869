import type { TerminalName } from '@ship/protocol';

export interface TerminalSize {
  cols: number;
  rows: number;
}

export interface TerminalRequest extends TerminalSize {
  name: TerminalName;
  /** Awaited before more is read, so that a slow viewer slows the shell (back pressure). */
  onData: (bytes: Uint8Array) => Promise<void>;
}

export interface OpenTerminal {
  /** True when this request created it. */
  isNew: boolean;
  /** Earlier output follows in the stream, announced by its mark. */
  hasTail: boolean;
  write(bytes: Uint8Array): Promise<void>;
  resize(size: TerminalSize): Promise<void>;
  /** Detaches; the shell keeps running. */
  leave(): Promise<void>;
  /** Resolves when the shell has ended; rejects when the connection to it is lost. */
  exitCode(): Promise<number>;
}

export interface Terminals {
  /** Opens the terminal of this name, or creates it. */
  open(request: TerminalRequest): Promise<OpenTerminal>;
  list(): Promise<TerminalName[]>;
  end(name: TerminalName): Promise<boolean>;
}
