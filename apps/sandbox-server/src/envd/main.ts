/**
 * Entry point of the supervisor inside a sandbox. It imports nothing but what it takes to say that it runs: the server
 * answers its client meanwhile, and the first request waits in the socket's queue, which the host has opened long before.
 */
import { closeSync, openSync, readdirSync, readFileSync, writeSync } from 'node:fs';
import { READY_LINE, type EnvdConfig } from './config.ts';
function readConfig(fd: number): EnvdConfig {
  const config = JSON.parse(readFileSync(fd, 'utf8')) as EnvdConfig;
  closeSync(fd);
  return config;
}

/**
 * Descriptors that the server's own parents forgot to mark reach us through every exec between. Ours are all marked
 * close-on-exec; what is not and was not promised is closed before any command could find it.
 */
function closeInherited(promised: readonly number[]): void {
  const closeOnExec = 0o2000000;
  for (const name of readdirSync('/proc/self/fd')) {
    const fd = Number(name);
    if (fd <= 2 || promised.includes(fd)) continue;
    try {
      const flags = /flags:\s+([0-7]+)/.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1];
      if (flags !== undefined && (Number.parseInt(flags, 8) & closeOnExec) === 0) closeSync(fd);
    } catch {
      // The descriptor of this very listing, closed by now.
    }
  }
}

/**
 * From here on nobody reads our output: the pipe belongs to a server that may be gone tomorrow, and writing to it would
 * end us. The lowest free descriptor is the one just closed.
 */
function detachOutput(): void {
  for (const fd of [1, 2]) {
    closeSync(fd);
    openSync('/dev/null', 'w');
  }
}

/**
 * We arrive as the namespace's maker, with the capabilities of root inside but not its uid. Done here and not by a
 * program before us, because every program costs a cold start two milliseconds.
 */
function becomeRoot(): void {
  process.setgroups?.([]);
  process.setgid?.(0);
  process.setuid?.(0);
}

const config = readConfig(Number(process.argv[2]));
closeInherited([config.listenerFd]);
if (config.separateRoot) becomeRoot();
// One broken stream must not take the sandbox's other processes with it.
process.on('uncaughtException', () => {});
process.on('unhandledRejection', () => {});
// A file that hits its size limit raises SIGXFSZ; the write that failed says so, too.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGXFSZ'] as const) {
  process.on(signal, () => {});
}
writeSync(2, READY_LINE);
detachOutput();
// A supervisor that cannot serve must end, so that the server learns of it.
import('./serve.ts').then(({ serve }) => serve(config)).catch(() => process.exit(1));
