import { readFileSync } from 'node:fs';

const CHECK_INTERVAL_MS = 100;

/**
 * Calls back when the program that ran `npm start` has exited. npm forwards signals, but does not notice when its own parent is
 * killed (a CI step that timed out, a test script): Ship would then keep its port forever.
 * Does not watch when Ship should outlive the shell (nohup, setsid, a service manager), or with a terminal, whose end arrives
 * as SIGHUP.
 */
export function onLauncherExit(callback: () => void): void {
  const npm = process.env.npm_lifecycle_event === undefined ? undefined : readStat(process.ppid);
  const self = readStat(process.pid);
  if (npm === undefined || self === undefined) return;
  // With `sh -c` in between, npm is the grandparent.
  const top = npm.command === 'sh' || npm.command === 'dash' ? readStat(npm.parent) : npm;
  if (
    top === undefined ||
    top.parent <= 1 ||
    self.hasTerminal ||
    top.session === top.pid ||
    ignoresHangup()
  )
    return;
  const timer = setInterval(() => {
    if (readStat(top.pid)?.parent === top.parent) return;
    clearInterval(timer);
    callback();
  }, CHECK_INTERVAL_MS);
  timer.unref();
}

interface Stat {
  pid: number;
  command: string;
  parent: number;
  session: number;
  hasTerminal: boolean;
}

export function parseStat(text: string): Stat | undefined {
  const match = /^(\d+) \((.*)\) \S (-?\d+) -?\d+ (-?\d+) (-?\d+)/s.exec(text);
  if (match === null) return undefined;
  const [, pid, command = '', parent, session, terminal] = match;
  return {
    pid: Number(pid),
    command,
    parent: Number(parent),
    session: Number(session),
    hasTerminal: terminal !== '0',
  };
}

function readStat(pid: number): Stat | undefined {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return undefined;
  }
}

function ignoresHangup(): boolean {
  const mask =
    /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0';
  const SIGHUP = 1n;
  return ((BigInt(`0x${mask}`) >> (SIGHUP - 1n)) & 1n) === 1n;
}
