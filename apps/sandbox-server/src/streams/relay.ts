import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import { finished } from 'node:stream';

import { release } from './release.ts';

/**
 * Passes a message's body on with back-pressure, as `pipeline` does: what ends on one side ends on the other, what breaks on
 * one side breaks the other. Unlike it, each chunk's memory is given back when the chunk has gone.
 */
export function relay(source: IncomingMessage, target: ClientRequest | ServerResponse): void {
  source.on('data', (chunk: Buffer) => {
    const hasRoom = target.write(chunk, (error) => {
      // After an error nothing says that the kernel has let go of it.
      if (error === undefined || error === null) release(chunk);
    });
    if (!hasRoom) source.pause();
  });
  target.on('drain', () => source.resume());
  source.once('end', () => target.end());
  finished(source, { writable: false }, (error) => {
    if (error) target.destroy(error);
  });
  finished(target, { readable: false }, (error) => {
    if (error) source.destroy(error);
  });
}

/**
 * Gives back what a call reads from its connection: the parser copies the body out of it, and has done so when listeners
 * that came after its own are called.
 */
export function releaseAsRead(call: ClientRequest): void {
  call.once('socket', (socket) => {
    socket.on('data', release);
    // A kept connection serves other calls later.
    call.once('close', () => socket.off('data', release));
  });
}
