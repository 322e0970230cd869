import { Transform, pipeline, type Duplex } from 'node:stream';

import type { Meter } from './ledger.ts';
import { sniffServerName } from './tls-sni.ts';

const HELLO_TIMEOUT_MS = 10_000;

function counter(count: (bytes: number) => void): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      count(chunk.length);
      done(null, chunk);
    },
  });
}

/** Holds the sandbox's bytes back until the TLS server name in them has been judged. */
function nameGate(isAllowed: (serverName: string) => boolean): Transform {
  let held: Buffer | undefined = Buffer.alloc(0);
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (held === undefined) {
        done(null, chunk);
        return;
      }
      held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      const sniff = sniffServerName(held);
      if (sniff.state === 'more') {
        done();
        return;
      }
      if (
        sniff.state === 'hello' &&
        sniff.serverName !== undefined &&
        !isAllowed(sniff.serverName)
      ) {
        done(new Error('the TLS server name is refused'));
        return;
      }
      const first = held;
      held = undefined;
      done(null, first);
    },
  });
}

export interface Tunnel {
  inside: Duplex;
  outside: Duplex;
  /** Bytes that came with the CONNECT already. */
  head: Buffer;
  meter: Meter;
  /** Undefined when no TLS is expected on this port. */
  isNameAllowed: ((serverName: string) => boolean) | undefined;
}

/** Joins both ends with back-pressure; when one side ends or fails, the other one goes too. */
export function joinTunnel({ inside, outside, head, meter, isNameAllowed }: Tunnel): void {
  if (head.length > 0) inside.unshift(head);
  const close = (): void => {
    inside.destroy();
    outside.destroy();
  };
  const fail = (error: Error | null | undefined): void => {
    if (error) close();
  };
  const out = counter((bytes) => meter.out(bytes));
  if (isNameAllowed === undefined) pipeline(inside, out, outside, fail);
  else {
    pipeline(inside, nameGate(isNameAllowed), out, outside, fail);
    // A peer that opens a tunnel and says nothing would hold a connection for ever.
    const timer = setTimeout(close, HELLO_TIMEOUT_MS);
    inside.once('data', () => clearTimeout(timer));
    outside.once('close', () => clearTimeout(timer));
  }
  pipeline(
    outside,
    counter((bytes) => meter.in(bytes)),
    inside,
    fail,
  );
}
