/** What the bridge needs of a sandbox's terminals. */
import type { TerminalName } from '@ship/protocol';

export interface TerminalSize {
  cols: number;
  rows: number;
}

export interface TerminalRequest extends TerminalSize {
  name: TerminalName;
  /** Awaited before more is read: this is how a slow viewer slows the shell. */
  onData: (bytes: Uint8Array) => Promise<void>;
}

export interface OpenTerminal {
  /** Made for this request; otherwise found again. */
  isNew: boolean;
  /** What was shown before follows in the output, announced by its mark. */
  hasTail: boolean;
  write(bytes: Uint8Array): Promise<void>;
  resize(size: TerminalSize): Promise<void>;
  /** The shell goes on. */
  leave(): Promise<void>;
  /** When the shell has ended; rejects when the connection to it is lost. */
  exitCode(): Promise<number>;
}

export interface Terminals {
  /** The one of this name, made if there is none. */
  open(request: TerminalRequest): Promise<OpenTerminal>;
  list(): Promise<TerminalName[]>;
  end(name: TerminalName): Promise<boolean>;
}
