import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import { finished } from 'node:stream';

import { release } from './release.ts';

/**
 * Forwards a message's body with back pressure, like `pipeline`: an end on one side ends the other, an error on one side
 * destroys the other. Unlike `pipeline`, it frees each chunk's memory once the chunk is sent.
 */
export function relay(source: IncomingMessage, target: ClientRequest | ServerResponse): void {
  const cork = corkUntilNextTurn(target);
  source.on('data', (chunk: Buffer) => {
    if (chunk.length < SMALL_BYTES) cork();
    const hasRoom = target.write(chunk, (error) => {
      // After an error nothing guarantees that the kernel no longer reads the chunk.
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

/** Larger chunks fill their own packets. */
const SMALL_BYTES = 4_096;

/**
 * Corks writes until the end of this event loop turn: the last message of a stream and its end come together, and separate
 * packets would wake the receiver twice.
 */
function corkUntilNextTurn(target: ClientRequest | ServerResponse): () => void {
  let isCorked = false;
  return () => {
    const { socket } = target;
    if (isCorked || socket === null) return;
    isCorked = true;
    socket.cork();
    setImmediate(() => {
      isCorked = false;
      socket.uncork();
    });
  };
}

/**
 * Frees what a call reads from its connection: the parser copies the body out of it, and has done so before later
 * listeners are called.
 */
export function releaseAsRead(call: ClientRequest): void {
  call.once('socket', (socket) => {
    socket.on('data', release);
    // A kept-alive connection serves other calls later.
    call.once('close', () => socket.off('data', release));
  });
}
