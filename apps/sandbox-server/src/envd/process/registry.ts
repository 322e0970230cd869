/** Processes that calls can address by pid or tag, and for a while the exits of ended ones. */
import { RpcError } from '../connect/errors.ts';
import { optionalString, optionalUint32, type Message } from '../connect/message.ts';
import type { EndEvent, RunningProcess } from './types.ts';

const KEEP_EXIT_MS = 30_000;
const MAX_KEPT_EXITS = 1000;

interface Exit {
  pid: number;
  tag: string | undefined;
  end: EndEvent;
}

export class Registry {
  readonly #running = new Map<number, RunningProcess>();
  readonly #exits = new Map<number, Exit>();

  add(process: RunningProcess): void {
    const { pid, tag } = process;
    // Pids are reused: a late reader must not get the exit of an earlier process.
    this.#exits.delete(pid);
    if (tag !== undefined)
      for (const exit of this.#exits.values()) if (exit.tag === tag) this.#exits.delete(exit.pid);
    this.#running.set(pid, process);
    void this.#settle(process);
  }

  async #settle(process: RunningProcess): Promise<void> {
    const { pid, tag } = process;
    const end = await process.ended;
    if (this.#running.get(pid) === process) this.#running.delete(pid);
    this.#remember({ pid, tag, end });
  }

  #remember(exit: Exit): void {
    this.#exits.set(exit.pid, exit);
    const [oldest] = this.#exits.keys();
    if (this.#exits.size > MAX_KEPT_EXITS && oldest !== undefined) this.#exits.delete(oldest);
    setTimeout(() => {
      if (this.#exits.get(exit.pid) === exit) this.#exits.delete(exit.pid);
    }, KEEP_EXIT_MS).unref();
  }

  list(): RunningProcess[] {
    return [...this.#running.values()];
  }

  find(selector: Message | undefined): RunningProcess {
    const { pid, tag } = readSelector(selector);
    const found = this.list().find((process) =>
      pid === undefined ? process.tag === tag : process.pid === pid,
    );
    if (found !== undefined) return found;
    throw new RpcError(
      'not_found',
      pid === undefined ? `process with tag ${tag} not found` : `process with pid ${pid} not found`,
    );
  }

  findExit(selector: Message | undefined): Exit | undefined {
    const { pid, tag } = readSelector(selector);
    return [...this.#exits.values()].find((exit) =>
      pid === undefined ? exit.tag === tag : exit.pid === pid,
    );
  }
}

function readSelector(selector: Message | undefined): {
  pid: number | undefined;
  tag: string | undefined;
} {
  const pid = selector === undefined ? undefined : optionalUint32(selector, 'pid');
  const tag = selector === undefined ? undefined : optionalString(selector, 'tag');
  if (pid === undefined && tag === undefined) {
    throw new RpcError('invalid_argument', 'name the process by pid or tag');
  }
  return { pid, tag };
}
