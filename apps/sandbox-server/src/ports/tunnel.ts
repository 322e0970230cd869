import type { Duplex } from 'node:stream';

/** The sandbox answers, but nothing inside listens on that port. */
export class PortClosedError extends Error {
  override readonly name = 'PortClosedError';
}

const MAX_HEAD_BYTES = 8_192;
const TIMEOUT_MS = 10_000;

/** Turns a connection to envd into one to a port inside; early bytes stay in the stream. */
export async function tunnelTo(
  socket: Duplex,
  port: number,
  accessToken: string | undefined,
): Promise<Duplex> {
  const token = accessToken === undefined ? '' : `X-Access-Token: ${accessToken}\r\n`;
  socket.write(`CONNECT 127.0.0.1:${port} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${token}\r\n`);
  const status = await readStatus(socket);
  if (status >= 200 && status < 300) return socket;
  socket.destroy();
  throw new PortClosedError(`port ${port} is not open (${status})`);
}

function readStatus(socket: Duplex): Promise<number> {
  return new Promise((resolve, reject) => {
    let seen = Buffer.alloc(0);
    const finish = (error: Error | undefined, status = 0): void => {
      clearTimeout(timer);
      socket.off('readable', onReadable);
      socket.off('error', finish);
      socket.off('close', onClose);
      if (error === undefined) resolve(status);
      else {
        socket.destroy();
        reject(error);
      }
    };
    const onClose = (): void => finish(new Error('the connection was closed'));
    const timer = setTimeout(() => finish(new Error('no answer in time')), TIMEOUT_MS);
    const onReadable = (): void => {
      for (let chunk: unknown = socket.read(); Buffer.isBuffer(chunk); chunk = socket.read()) {
        seen = Buffer.concat([seen, chunk]);
        const end = seen.indexOf('\r\n\r\n');
        if (end === -1 && seen.length > MAX_HEAD_BYTES) return finish(new Error('not an answer'));
        if (end === -1) continue;
        const rest = seen.subarray(end + 4);
        finish(
          undefined,
          Number(/^HTTP\/1\.[01] ([0-9]{3})/.exec(seen.toString('latin1', 0, 20))?.[1]),
        );
        if (rest.length > 0) socket.unshift(rest);
        return;
      }
    };
    socket.on('readable', onReadable);
    socket.once('error', finish);
    socket.once('close', onClose);
  });
}
