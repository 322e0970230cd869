import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import { finished } from 'node:stream';

import { release } from './release.ts';

/**
 * Passes a message's body on with back-pressure, as `pipeline` does: what ends on one side ends on the other, what breaks on
 * one side breaks the other. Unlike it, each chunk's memory is given back when the chunk has gone.
 */
export function relay(source: IncomingMessage, target: ClientRequest | ServerResponse): void {
  const gather = gathering(target);
  source.on('data', (chunk: Buffer) => {
    if (chunk.length < SMALL_BYTES) gather();
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

/** Larger chunks fill packets of their own. */
const SMALL_BYTES = 4_096;

/**
 * Holds back what is written until this turn of the loop is over: the last message of a stream and its end come together,
 * and in packets of their own they would wake the receiver twice.
 */
function gathering(target: ClientRequest | ServerResponse): () => void {
  let isHeld = false;
  return () => {
    const { socket } = target;
    if (isHeld || socket === null) return;
    isHeld = true;
    socket.cork();
    setImmediate(() => {
      isHeld = false;
      socket.uncork();
    });
  };
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
