/** A process on its own terminal. The native module is loaded on first use: most sandboxes never need it. */
import { chownSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { ReadStream } from 'node:tty';
import { RpcError } from '../connect/errors.ts';
import { tty } from '../on-demand.ts';
import { Fanout } from './fanout.ts';
import { preferAsOomVictim, signalGroup } from './pipes.ts';
import { endEvent, type EndEvent, type RunningProcess, type StartOptions } from './types.ts';

/** The native half of @lydell/node-pty. Its JavaScript half decodes text and hides back pressure, so it is not used. */
interface NativePty {
  fork(
    file: string,
    args: string[],
    env: string[],
    cwd: string,
    cols: number,
    rows: number,
    uid: number,
    gid: number,
    isUtf8: boolean,
    helperPath: string,
    onExit: (code: number, signal: number) => void,
  ): { fd: number; pid: number; pty: string };
  resize(fd: number, cols: number, rows: number): void;
}

const NATIVE_PATH = '/opt/envd/pty.node';
let native: NativePty | undefined;

function nativePty(): NativePty {
  native ??= createRequire('/opt/envd/')(NATIVE_PATH) as NativePty;
  return native;
}

const SIGNAL_NAMES: Record<number, string> = {
  1: 'SIGHUP',
  2: 'SIGINT',
  9: 'SIGKILL',
  15: 'SIGTERM',
};
/**
 * With --disable-sigusr1 Node leaves that signal blocked. libuv unblocks it for the commands that it starts; the terminal's
 * native module does not, and a shell would pass the mask on to all its programs. Perl, because every sandbox host has it.
 */
const UNBLOCK = `my $usr1 = pack('Q', 1 << 9); syscall(shift() + 0, 1, $usr1, 0, 8);
delete $ENV{PERL_BADLANG}; exec { $ARGV[0] } @ARGV; exit 127`;
const RT_SIGPROCMASK = process.arch === 'arm64' ? 135 : 14;
const UNCHANGED_ID = -1;
const MAX_SIDE = 65_535;
/** The terminal's last output may still be unread when the exit is reported. */
const DRAIN_AFTER_EXIT_MS = 200;

export function startOnTerminal(options: StartOptions, cols: number, rows: number): RunningProcess {
  return new TerminalProcess(options, side(cols, 80), side(rows, 24));
}

const side = (wanted: number, fallback: number) =>
  wanted > 0 && wanted <= MAX_SIDE ? wanted : fallback;

class TerminalProcess implements RunningProcess {
  readonly pid: number;
  readonly config;
  readonly tag;
  readonly output = new Fanout();
  readonly ended: Promise<EndEvent>;
  readonly #fd: number;
  readonly #stream: ReadStream;

  constructor(options: StartOptions, cols: number, rows: number) {
    this.config = options.config;
    this.tag = options.tag;
    const exited = Promise.withResolvers<EndEvent>();
    const { uid, gid } = options.owner ?? { uid: UNCHANGED_ID, gid: UNCHANGED_ID };
    const variables = { TERM: 'xterm-256color', ...options.env, PERL_BADLANG: '0' };
    const env = Object.entries(variables).map(([key, value]) => `${key}=${value}`);
    const { cmd, args } = options.config;
    const onExit = (code: number, signal: number) => {
      exited.resolve(endEvent(code, signal > 0 ? (SIGNAL_NAMES[signal] ?? `SIG${signal}`) : null));
    };
    const terminal = nativePty().fork(
      '/usr/bin/perl',
      ['-e', UNBLOCK, String(RT_SIGPROCMASK), cmd, ...args],
      env,
      options.cwd,
      cols,
      rows,
      uid,
      gid,
      true,
      '',
      onExit,
    );
    this.pid = terminal.pid;
    this.#fd = terminal.fd;
    this.#giveTerminal(terminal.pty, options.owner);
    preferAsOomVictim(this.pid);
    this.#stream = new (tty().ReadStream)(terminal.fd);
    const drained = this.#pump();
    this.ended = exited.promise.then(async (end) => {
      await Promise.race([
        drained,
        new Promise((resolve) => setTimeout(resolve, DRAIN_AFTER_EXIT_MS)),
      ]);
      this.#stream.destroy();
      return end;
    });
  }

  /** The supervisor opened the device: without a chown, its user could not reopen /dev/pts/N (as tmux does). */
  #giveTerminal(device: string, owner: StartOptions['owner']): void {
    if (owner === undefined) return;
    try {
      chownSync(device, owner.uid, owner.gid);
    } catch {
      // Costs only reopening by name.
    }
  }

  #pump(): Promise<void> {
    const stream = this.#stream;
    stream.on('data', (bytes: Buffer) => {
      const busy = this.output.publish({ pty: bytes.toString('base64') });
      if (busy === undefined) return;
      stream.pause();
      void busy.then(() => stream.resume());
    });
    return new Promise((resolve) => {
      // A terminal reports EIO when its last process has exited.
      stream.once('error', () => resolve());
      stream.once('close', () => resolve());
      stream.on('error', () => {});
    });
  }

  async write(input: { stdin: Buffer } | { pty: Buffer }): Promise<void> {
    if (!('pty' in input)) {
      throw new RpcError('invalid_argument', 'the process has a terminal: send pty, not stdin');
    }
    // node:tty's ReadStream is a net.Socket on the terminal's descriptor: writable, despite its name.
    const bytes = input.pty;
    await new Promise<void>((resolve, reject) => {
      this.#stream.write(bytes, (error) =>
        error ? reject(new RpcError('failed_precondition', error.message)) : resolve(),
      );
    });
  }

  async closeStdin(): Promise<void> {
    throw new RpcError(
      'failed_precondition',
      'cannot close stdin of a terminal: send Ctrl+D (0x04) instead',
    );
  }

  resize(cols: number, rows: number): void {
    nativePty().resize(this.#fd, side(cols, 80), side(rows, 24));
  }

  signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    signalGroup(this.pid, signal);
  }
}
