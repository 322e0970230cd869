import { Duplex } from 'node:stream';
import { connect } from 'node:tls';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
  extension,
  helloMessage,
  record,
  records,
  serverName,
} from '../../test/attack/client-hello.ts';
import { HelloInspector } from './hello-inspector.ts';

const realHello = (name: string): Promise<Buffer> =>
  new Promise((resolve) => {
    const wire = new Duplex({ read: () => undefined, write: (chunk: Buffer) => resolve(chunk) });
    connect({ socket: wire, servername: name }).on('error', () => undefined);
  });

/** All output for these input pieces. */
function follow(...pieces: Buffer[]) {
  const watch = new HelloInspector();
  const passed: Buffer[] = [];
  const names: (string | undefined)[] = [];
  let last = 'watching';
  for (const piece of pieces) {
    if (last !== 'watching') break;
    const { pass, hellos, state } = watch.push(piece);
    passed.push(pass);
    names.push(...hellos.map((hello) => hello.serverName));
    last = state;
  }
  return { passed: Buffer.concat(passed), names, state: last };
}

const bytewise = (bytes: Buffer): Buffer[] => [...bytes].map((byte) => Buffer.from([byte]));
const named = helloMessage(serverName('a.test'));

describe('inspecting hellos', () => {
  it('reads the name of a real hello, whole or byte by byte, and buffers every byte until then', async () => {
    const hello = await realHello('cdn.test');
    expect(follow(hello)).toEqual({ passed: hello, names: ['cdn.test'], state: 'watching' });
    expect(follow(...bytewise(hello))).toMatchObject({ passed: hello, names: ['cdn.test'] });
    expect(follow(...bytewise(hello.subarray(0, -1)))).toMatchObject({ names: [] });
    expect(follow(hello.subarray(0, -1)).passed).toHaveLength(0);
  });

  it('reads a hello that is split into records, up to a limit', () => {
    expect(follow(records(named, 5)).names).toEqual(['a.test']);
    const long = helloMessage(serverName('a.test'), extension(21, Buffer.alloc(500)));
    expect(follow(records(long, 5)).state).toBe('malformed');
  });

  it.each([
    ['plain text', Buffer.from('GET / HTTP/1.1')],
    ['another handshake message', record(Buffer.from([2, 0, 0, 1, 0]))],
    ['another version', Buffer.from([22, 2, 0, 0, 5, 1, 0, 0, 1, 0])],
    ['an empty record', Buffer.concat([record(Buffer.alloc(0)), record(named)])],
    ['an oversized record', Buffer.from([22, 3, 1, 0xff, 0xff])],
    ['an oversized hello', record(Buffer.from([1, 1, 0, 0, 3, 3]))],
    ['an alert in the middle', Buffer.concat([record(named.subarray(0, 9)), record(named, 21)])],
    ['bytes behind the hello', record(Buffer.concat([named, Buffer.from([0])]))],
    ['a cut list of extensions', record(Buffer.concat([named.subarray(0, -1)]))],
    ['two names', record(helloMessage(serverName('a.test', 'b.test')))],
    ['a name of an unknown kind', record(helloMessage(extension(0, Buffer.from([0, 3, 1, 0, 0]))))],
    ['the same extension twice', record(helloMessage(extension(7, named), extension(7, named)))],
  ])('passes nothing of %s', (_what, bytes) => {
    // The truncated one waits for the rest, which never comes; the others are refused immediately.
    const { passed, names } = follow(bytes);
    expect([passed.length, names]).toEqual([0, []]);
  });

  it('refuses a hello that comes in too many pieces', () => {
    const watch = new HelloInspector();
    let pushed = 0;
    const big = records(helloMessage(extension(21, Buffer.alloc(20_000))));
    for (const byte of bytewise(big)) {
      pushed += 1;
      if (watch.push(byte).state === 'malformed') break;
    }
    expect(pushed).toBeLessThan(5_000);
  });

  it('reads a second hello, and stops at the first record that excludes one', () => {
    const first = record(named);
    const again = record(helloMessage(serverName('b.test')));
    const cipher = record(Buffer.from([1]), 20);
    const data = record(Buffer.from('data'), 23);
    expect(follow(first, cipher, again).names).toEqual(['a.test', 'b.test']);
    expect(follow(first, data, again)).toMatchObject({ names: ['a.test'], state: 'over' });
    const keyExchange = record(Buffer.from([16, 0, 0, 1, 0]));
    expect(follow(first, keyExchange)).toMatchObject({ names: ['a.test'], state: 'over' });
    const finished = record(Buffer.from([1, 9, 9, 9, 9, 9, 9, 9]));
    expect(follow(first, cipher, finished)).toMatchObject({ names: ['a.test'], state: 'over' });
    const early = record(helloMessage(serverName('a.test'), extension(42, Buffer.alloc(0))));
    expect(follow(early, data, again).names).toEqual(['a.test', 'b.test']);
  });

  it('property: any bytes parse without a throw, and splitting them changes nothing', () => {
    const real = records(named, 9);
    const input = fc.oneof(
      fc.uint8Array({ maxLength: 80 }).map((bytes) => Buffer.from(bytes)),
      fc.tuple(fc.nat(real.length - 1), fc.nat(255)).map(([at, value]) => {
        const bent = Buffer.from(real);
        bent[at] = value;
        return bent;
      }),
    );
    fc.assert(
      fc.property(input, (bytes) => {
        const { names } = follow(bytes);
        expect(follow(...bytewise(bytes)).names).toEqual(names);
      }),
      { seed: 5, numRuns: 400 },
    );
  });
});
