/**
 * Entry point of the supervisor inside a sandbox. It imports only what it needs to report that it runs: the server then
 * responds to its client, and the first request waits in the socket's queue, which the host opened long before.
 */
import { closeSync, openSync, readdirSync, readFileSync, writeSync } from 'node:fs';
import { READY_LINE, type EnvdConfig } from './config.ts';
function readConfig(fd: number): EnvdConfig {
  const config = JSON.parse(readFileSync(fd, 'utf8')) as EnvdConfig;
  closeSync(fd);
  return config;
}

/**
 * Descriptors that the server's parents failed to mark close-on-exec are inherited through every exec. All intended ones
 * are marked; this closes every other unexpected descriptor before a command could use it.
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
      // The descriptor of this very listing, already closed.
    }
  }
}

/**
 * From here on nothing reads our output: the pipe belongs to a server that may exit, and writing to it would then
 * kill us. The lowest free descriptor is the one just closed.
 */
function detachOutput(): void {
  for (const fd of [1, 2]) {
    closeSync(fd);
    openSync('/dev/null', 'w');
  }
}

/**
 * The process starts as the namespace's creator, with the capabilities of root inside but not its uid. Switching here and
 * not in a separate program saves each cold start two milliseconds.
 */
function becomeRoot(): void {
  process.setgroups?.([]);
  process.setgid?.(0);
  process.setuid?.(0);
}

const config = readConfig(Number(process.argv[2]));
closeInherited([config.listenerFd]);
if (config.separateRoot) becomeRoot();
// One broken stream must not crash the supervisor and with it all processes of the sandbox.
process.on('uncaughtException', () => {});
process.on('unhandledRejection', () => {});
// A write beyond the file size limit raises SIGXFSZ; the failed write reports it as well.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGXFSZ'] as const) {
  process.on(signal, () => {});
}
writeSync(2, READY_LINE);
detachOutput();
// A supervisor that cannot serve must exit, so that the server notices.
import('./serve.ts').then(({ serve }) => serve(config)).catch(() => process.exit(1));
