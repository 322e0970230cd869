/**
 * Processes by way of `helpers/spawner`, which has one waiting at any time. It is started after the first command, so
 * that no cold start pays for it, and ends when nobody has asked for a while.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { constants as system } from 'node:os';
import type { Readable } from 'node:stream';
import type { StartOptions } from './types.ts';

const PERL = '/usr/bin/perl';
const HELPER = '/opt/envd/spawner';
const START_DELAY_MS = 30;
const IDLE_MS = 60_000;
/** What a pipe takes without anybody reading: writing a longer plan would block the supervisor. */
const MAX_PLAN_BYTES = 60_000;

/** Calls that Perl has no function for. */
const CALLS: Record<string, string[]> = {
  x64: [
    ...['setsid=112', 'setgroups=116', 'setresgid=119', 'setresuid=117'],
    ...['rt_sigprocmask=14', 'signalfd4=289'],
  ],
  arm64: [
    ...['setsid=157', 'setgroups=159', 'setresgid=149', 'setresuid=147'],
    ...['rt_sigprocmask=135', 'signalfd4=74'],
  ],
};

export interface Exit {
  code: number | null;
  signal: string | null;
}

export interface Spawned {
  pid: number;
  stdout: Readable;
  stderr: Readable;
  exited: Promise<Exit>;
}

/** One that waits, or has become a command. */
interface Slot {
  pid: number;
  stdout: Socket;
  stderr: Socket;
  planFd: number;
  started: PromiseWithResolvers<boolean>;
  exited: PromiseWithResolvers<Exit>;
}

export class Spawner {
  #helper: ChildProcess | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** False when it never said a word: no Perl, or a template that broke it. */
  #isUsable = true;
  #waiting: Slot | undefined;
  readonly #running = new Map<number, Slot>();

  /** Undefined when none waits or this one cannot be had so: then it has to be started in the usual way. */
  async start(options: StartOptions): Promise<Spawned | undefined> {
    const slot = this.#waiting;
    this.#rest(slot === undefined ? START_DELAY_MS : IDLE_MS);
    const plan = planOf(options);
    if (slot === undefined || plan.length > MAX_PLAN_BYTES) return undefined;
    this.#waiting = undefined;
    this.#running.set(slot.pid, slot);
    writeSync(slot.planFd, plan);
    closeSync(slot.planFd);
    if (!(await slot.started.promise)) {
      close(slot);
      return undefined;
    }
    return {
      pid: slot.pid,
      stdout: slot.stdout,
      stderr: slot.stderr,
      exited: slot.exited.promise,
    };
  }

  /** After a while with nothing to do: starts the helper if there is none, ends the one that there is. */
  #rest(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (this.#helper === undefined && this.#isUsable) this.#launch();
      else if (ms === IDLE_MS && this.#running.size === 0) this.#helper?.stdin?.end();
      else this.#rest(IDLE_MS);
    }, ms).unref();
  }

  #launch(): void {
    const helper = spawn(PERL, [HELPER, ...(CALLS[process.arch] ?? [])], {
      cwd: '/',
      env: {},
      stdio: ['pipe', 'pipe', 'ignore'],
      detached: true,
    });
    this.#helper = helper;
    this.#isUsable = false;
    helper.on('error', () => {});
    helper.stdin.on('error', () => {});
    let text = '';
    helper.stdout.on('data', (chunk: Buffer) => {
      const lines = (text + chunk.toString('latin1')).split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) this.#hear(helper, line.split(' '));
    });
    helper.once('close', () => this.#lost());
    this.#rest(IDLE_MS);
  }

  #hear(helper: ChildProcess, [word, ...numbers]: string[]): void {
    const [pid = 0, second = 0, third = 0, fourth = 0] = numbers.map(Number);
    if (word === 'ready') {
      this.#isUsable = true;
      this.#waiting = openSlot(helper.pid ?? 0, pid, [second, third, fourth]);
      helper.stdin?.write(`opened ${pid}\n`);
      return;
    }
    if (this.#waiting?.pid === pid) {
      // Somebody inside has ended it before it was used.
      this.#drop();
    }
    const slot = this.#running.get(pid);
    if (word === 'started') slot?.started.resolve(true);
    if (word === 'failed') slot?.started.resolve(false);
    if (word !== 'ended') return;
    this.#running.delete(pid);
    slot?.exited.resolve(exitOf(second));
  }

  #drop(): void {
    if (this.#waiting === undefined) return;
    close(this.#waiting);
    closeSync(this.#waiting.planFd);
    this.#waiting = undefined;
  }

  /** Without it nobody is told how its commands end: they end with it. */
  #lost(): void {
    this.#helper = undefined;
    this.#drop();
    for (const slot of this.#running.values()) {
      slot.started.resolve(false);
      try {
        process.kill(-slot.pid, 'SIGKILL');
      } catch {
        // Gone already.
      }
      slot.exited.resolve({ code: null, signal: 'SIGKILL' });
    }
    this.#running.clear();
  }
}

function planOf({ cwd, owner, env, config }: StartOptions): Buffer {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const words = [config.cmd, ...config.args, 'end', ''];
  const who = [owner?.uid ?? '', owner?.gid ?? ''];
  return Buffer.from([cwd, ...who, variables.length, ...variables, ...words].join('\0'));
}

/** The helper's pipes, opened anew: descriptors cannot be sent to Node. */
function openSlot(
  helper: number,
  pid: number,
  [out, err, plan]: [number, number, number],
): Slot | undefined {
  const opened: number[] = [];
  const open = (fd: number, flags: number) => {
    opened.push(openSync(`/proc/${helper}/fd/${fd}`, flags));
    return opened.at(-1) ?? -1;
  };
  try {
    const readable = constants.O_RDONLY | constants.O_NONBLOCK;
    const [stdout, stderr] = [open(out, readable), open(err, readable)];
    const planFd = open(plan, constants.O_WRONLY);
    const stream = (fd: number) =>
      new Socket({ fd, readable: true, writable: false }).on('error', () => {});
    return {
      pid,
      stdout: stream(stdout),
      stderr: stream(stderr),
      planFd,
      started: Promise.withResolvers(),
      exited: Promise.withResolvers(),
    };
  } catch {
    // It has been ended meanwhile: commands are started in the usual way.
    for (const fd of opened) closeSync(fd);
    return undefined;
  }
}

function close({ stdout, stderr }: Slot): void {
  stdout.destroy();
  stderr.destroy();
}

let signalNames: Map<number, string> | undefined;

/** As wait(2) has it: the signal in the lower seven bits, the code above. */
function exitOf(status: number): Exit {
  const signal = status & 0x7f;
  if (signal === 0) return { code: (status >> 8) & 0xff, signal: null };
  signalNames ??= new Map(Object.entries(system.signals).map(([name, value]) => [value, name]));
  return { code: null, signal: signalNames.get(signal) ?? `SIG${signal}` };
}
