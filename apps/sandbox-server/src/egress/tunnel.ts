import { Transform, pipeline, type Duplex } from 'node:stream';

import type { ClientHello } from './client-hello.ts';
import { HelloInspector } from './hello-inspector.ts';
import type { Meter } from './ledger.ts';

const HELLO_TIMEOUT_MS = 10_000;
/** A fatal `unrecognized_name` alert (RFC 8446, 6.2): the client reports the cause instead of "connection reset". */
const UNRECOGNIZED_NAME = Buffer.from([21, 3, 3, 0, 2, 2, 112]);

interface Tunnel {
  inside: Duplex;
  outside: Duplex;
  /** Bytes that arrived with the CONNECT. */
  head: Buffer;
  /** Decides on the first hello and records it in the ledger; undefined refuses it. */
  admit: (hello: ClientHello) => Meter | undefined;
  /** Closed before its first hello was complete; `isMalformed` unless the client just disconnected. */
  onUnadmitted: (isMalformed: boolean) => void;
}

/**
 * Connects both ends with back pressure once the TLS server name is accepted; before that, no byte passes in either
 * direction. When one side closes or fails, the other one is closed too.
 */
export function joinTunnel({ inside, outside, head, admit, onUnadmitted }: Tunnel): void {
  const watch = new HelloInspector();
  let meter: Meter | undefined;
  let isWatching = true;
  let isSettled = false;
  let serverName: string | undefined;
  const close = (): void => {
    inside.destroy();
    outside.destroy();
  };
  const fail = (error: Error | null | undefined): void => {
    if (error) close();
  };
  const unadmitted = (isMalformed: boolean): void => {
    clearTimeout(timer);
    if (!isSettled) onUnadmitted(isMalformed);
    isSettled = true;
  };
  // Covers the whole hello, not only its first byte: a client that sends it slowly would hold a connection forever.
  const timer = setTimeout(() => {
    unadmitted(true);
    close();
  }, HELLO_TIMEOUT_MS);
  inside.once('close', () => unadmitted(false));
  outside.once('close', () => unadmitted(false));

  const isGood = (hello: ClientHello): boolean => {
    if (meter !== undefined) return hello.serverName === serverName;
    clearTimeout(timer);
    isSettled = true;
    const admitted = admit(hello);
    if (admitted === undefined) return false;
    meter = admitted;
    serverName = hello.serverName;
    const countIn = counter((bytes) => admitted.in(bytes));
    pipeline(outside, countIn, inside, fail);
    return true;
  };
  const gate = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (!isWatching) {
        meter?.out(chunk.length);
        done(null, chunk);
        return;
      }
      const { pass, hellos, state } = watch.push(chunk);
      if (state === 'malformed') unadmitted(true);
      if (!hellos.every(isGood) || state === 'malformed') {
        if (meter === undefined) inside.write(UNRECOGNIZED_NAME);
        done(new Error('the TLS server name is refused'));
        return;
      }
      isWatching = state === 'watching';
      meter?.out(pass.length);
      if (pass.length > 0) this.push(pass);
      done();
    },
  });
  if (head.length > 0) inside.unshift(head);
  pipeline(inside, gate, outside, fail);
}

function counter(count: (bytes: number) => void): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      count(chunk.length);
      done(null, chunk);
    },
  });
}
