import type { Socket } from 'node:net';

/** The service that a connection from inside requests; envd writes it as the first line. */
export type Service = 'egress' | 'models' | 'git' | 'registry';

const LINES: ReadonlyMap<string, Service> = new Map([
  ['SHIP/1 egress', 'egress'],
  ['SHIP/1 models', 'models'],
  ['SHIP/1 git', 'git'],
  ['SHIP/1 registry', 'registry'],
]);
const MAX_LINE_BYTES = 32;
const TIMEOUT_MS = 10_000;

/** Reads the line and leaves the remaining bytes in the socket. Undefined: unknown service, or closed. */
export function readPreamble(socket: Socket): Promise<Service | undefined> {
  return new Promise((resolve) => {
    let seen = Buffer.alloc(0);
    const finish = (service: Service | undefined): void => {
      clearTimeout(timer);
      socket.off('readable', onReadable);
      socket.off('close', onClose);
      socket.off('end', onClose);
      resolve(service);
    };
    const onClose = (): void => finish(undefined);
    const timer = setTimeout(onClose, TIMEOUT_MS);
    const onReadable = (): void => {
      for (let chunk: Buffer | null = socket.read(); chunk !== null; chunk = socket.read()) {
        seen = Buffer.concat([seen, chunk]);
        const end = seen.indexOf(0x0a);
        if (end === -1) {
          if (seen.length > MAX_LINE_BYTES) finish(undefined);
          if (seen.length > MAX_LINE_BYTES) return;
          continue;
        }
        const rest = seen.subarray(end + 1);
        const service = LINES.get(seen.subarray(0, end).toString('latin1'));
        finish(service);
        if (rest.length > 0) socket.unshift(rest);
        return;
      }
    };
    socket.on('readable', onReadable);
    socket.once('close', onClose);
    socket.once('end', onClose);
  });
}
