import { MAX_TERMINALS, TerminalName, fail } from '@ship/protocol';
import { CommandExitError, type CommandHandle, type Sandbox } from 'e2b';
import { runBounded } from './e2b-command.ts';
import { askForTail, recorderEnvironment } from '../terminal/recorder.ts';
import type { OpenTerminal, TerminalRequest, Terminals } from '../terminal/port.ts';

/** A terminal is identified by its name in the environment of its process: nothing is stored here. */
const NAME_KEY = 'SHIP_TERMINAL';
const ASK_TIMEOUT_MS = 10_000;

/** Terminals over E2B's own SDK. */
export class E2bTerminals implements Terminals {
  readonly #sandbox: Sandbox;

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
  }

  async list(): Promise<TerminalName[]> {
    const names = (await this.#running()).map(({ name }) => name);
    return [...new Set(names)].toSorted();
  }

  async open(request: TerminalRequest): Promise<OpenTerminal> {
    const known = await this.#find(request.name);
    if (known !== undefined) return this.#join(known, request);
    if ((await this.list()).length >= MAX_TERMINALS)
      fail(
        'limit-reached',
        `This session already has ${MAX_TERMINALS} terminals.`,
        'Close one that is not needed.',
      );
    const handle = await this.#create(request);
    // Two browsers may have opened it at the same time: both get the first one.
    const first = await this.#find(request.name);
    if (first === undefined || first === handle.pid) return this.#opened(handle, true, false);
    await handle.disconnect();
    await this.#sandbox.pty.kill(handle.pid);
    return this.#join(first, request);
  }

  /** False when there was none. */
  async end(name: TerminalName): Promise<boolean> {
    const pids = (await this.#running()).filter((one) => one.name === name);
    for (const { pid } of pids) await this.#sandbox.pty.kill(pid);
    return pids.length > 0;
  }

  #create({ name, cols, rows, onData }: TerminalRequest): Promise<CommandHandle> {
    return this.#sandbox.pty.create({
      cols,
      rows,
      onData,
      user: 'user',
      envs: { ...recorderEnvironment, [NAME_KEY]: name },
      // The SDK's default would end the shell after a minute.
      timeoutMs: 0,
    });
  }

  async #join(pid: number, { cols, rows, onData }: TerminalRequest): Promise<OpenTerminal> {
    const handle = await this.#sandbox.pty.connect(pid, { onData, timeoutMs: 0 });
    await this.#sandbox.pty.resize(pid, { cols, rows });
    return this.#opened(handle, false, await this.#askForTail(pid));
  }

  async #askForTail(pid: number): Promise<boolean> {
    const argv = ['bash', '-c', askForTail(pid)] as const;
    const command = { argv, timeoutMs: ASK_TIMEOUT_MS };
    const callOptions = { requestTimeoutMs: ASK_TIMEOUT_MS };
    return (await runBounded(this.#sandbox, command, callOptions)).exitCode === 0;
  }

  #opened(handle: CommandHandle, isNew: boolean, hasTail: boolean): OpenTerminal {
    const { pty } = this.#sandbox;
    const { pid } = handle;
    return {
      isNew,
      hasTail,
      write: (bytes) => pty.sendInput(pid, bytes),
      resize: (size) => pty.resize(pid, size),
      leave: () => handle.disconnect(),
      async exitCode() {
        try {
          return (await handle.wait()).exitCode;
        } catch (error) {
          if (error instanceof CommandExitError) return error.exitCode;
          throw error;
        }
      },
    };
  }

  async #find(name: TerminalName): Promise<number | undefined> {
    const pids = (await this.#running()).filter((one) => one.name === name).map(({ pid }) => pid);
    return pids.length === 0 ? undefined : Math.min(...pids);
  }

  async #running(): Promise<{ name: TerminalName; pid: number }[]> {
    const processes = await this.#sandbox.commands.list();
    return processes.flatMap(({ pid, envs }) => {
      // Programs in the sandbox may start a process with any environment.
      const name = TerminalName.safeParse(envs[NAME_KEY]);
      return name.success ? [{ name: name.data, pid }] : [];
    });
  }
}
