import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DurableEnvelope, LiveEvent } from '../events/envelope.ts';
import { createId } from '../ids.ts';
import { CLOSE_CODES, PING_INTERVAL_MS } from '../socket.ts';
import { backoffDelayMs } from './backoff.ts';
import { HttpClient } from './http.ts';
import { SessionWatch } from './session-watch.ts';
import { FakeServer } from './testing/fake-server.ts';
import { ManualClock } from './testing/manual-clock.ts';
import type { WatchStatus } from './watch-status.ts';

const MINUTE_MS = 60_000;
const half = (): number => 0.5;

function world({ after = 0, random = half, events = 0 } = {}) {
  const clock = new ManualClock();
  const server = new FakeServer(clock);
  server.append(events);
  const got: DurableEnvelope[] = [];
  const live: LiveEvent[] = [];
  const statuses: WatchStatus[] = [];
  const http = new HttpClient({
    baseUrl: 'http://ship.test:4400',
    token: 'secret-token',
    // No streams: every attempt is refused, as by an unreachable machine.
    fetch: () => Promise.reject(new Error('refused')),
  });
  const watch = new SessionWatch({
    http,
    sessionId: server.sessionId,
    after,
    clock,
    random,
    openSocket: server.open,
    onEvents: (fresh) => void got.push(...fresh),
    onLive: (fresh) => void live.push(...fresh),
    onReset: () => void got.splice(0),
    onStatus: (status) => void statuses.push(status),
  });
  const seqs = () => got.map(({ seq }) => seq);
  const status = () => statuses.at(-1)?.status;
  return { clock, server, watch, got, live, statuses, seqs, status };
}

const upTo = (count: number, from = 1) => Array.from({ length: count }, (_, i) => from + i);

describe('watching a session', () => {
  it('[CW1] pages through the past, then follows live', () => {
    const { clock, server, watch, seqs, statuses, status } = world({ events: 40 });
    watch.start();
    clock.advance(100);
    expect(seqs()).toEqual(upTo(40));
    expect(server.replays).toEqual([7, 14, 21, 28, 35]);
    expect(status()).toBe('live');
    expect(statuses.map((s) => s.status)).toContain('catching-up');
    server.append(3);
    server.append(1);
    clock.advance(100);
    expect(seqs()).toEqual(upTo(44));
    expect(server.urls[0]).toBe(
      `ws://ship.test:4400/api/sessions/${server.sessionId}/socket?after=0&protocol=1`,
    );
  });

  it('[CW1] starts after the caller’s newest event, and an empty log is live immediately', () => {
    const later = world({ after: 38, events: 40 });
    later.watch.start();
    later.clock.advance(100);
    expect(later.seqs()).toEqual([39, 40]);
    const empty = world();
    empty.watch.start();
    empty.clock.advance(100);
    expect(empty.status()).toBe('live');
  });

  it('[CW2] a lost message is detected by the next one and requested again once', () => {
    const { clock, server, watch, seqs } = world({ events: 2 });
    watch.start();
    clock.advance(100);
    server.network.delayMs = 50;
    server.network.next.push('drop');
    server.append(1);
    server.append(1);
    server.append(1);
    clock.advance(1_000);
    expect(seqs()).toEqual(upTo(5));
    expect(server.replays).toEqual([2]);
  });

  it('[CW2] a repeated message is delivered once', () => {
    const { clock, server, watch, seqs } = world({ events: 9 });
    server.network.next.push('twice', 'twice', 'twice');
    watch.start();
    clock.advance(100);
    server.network.next.push('twice');
    server.append(2);
    clock.advance(100);
    expect(seqs()).toEqual(upTo(11));
  });

  it('[CW2] a damaged message ends the connection, one of an unknown type does not', () => {
    const { clock, server, watch, seqs } = world({ events: 2 });
    watch.start();
    clock.advance(100);
    server.broadcast({ type: 'from-the-future', events: 7 });
    clock.advance(10);
    expect(server.urls).toHaveLength(1);
    server.network.next.push('damage');
    server.append(1);
    clock.advance(MINUTE_MS);
    expect(server.urls).toHaveLength(2);
    expect(seqs()).toEqual(upTo(3));
  });

  it('[CW3] reconnects at its position, with exponential backoff and jitter', () => {
    const { clock, server, watch, statuses, seqs } = world({ events: 3 });
    watch.start();
    clock.advance(100);
    server.accepts = 'none';
    server.endAll(1006);
    server.append(5);
    clock.advance(10 * MINUTE_MS);
    const waits = statuses.filter((s) => s.status === 'waiting');
    expect(waits.slice(0, 3).map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    expect(waits.length).toBeLessThan(60);
    server.accepts = 'all';
    clock.advance(MINUTE_MS);
    expect(server.urls.at(-1)).toContain('after=3&');
    expect(seqs()).toEqual(upTo(8));
  });

  it('[CW3] the wait is random from zero to a ceiling that doubles up to a cap', () => {
    const backoff = { baseDelayMs: 500, maxDelayMs: 30_000 };
    const ceilings = upTo(9).map((failures) => backoffDelayMs(failures, 1, backoff));
    expect(ceilings).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
    expect(backoffDelayMs(5, 0, backoff)).toBe(0);
    expect(backoffDelayMs(5, 0.25, backoff)).toBe(2000);
    expect(backoffDelayMs(5_000, 1, backoff)).toBe(30_000);
  });

  it('[CW3] waits longer after a slow-down close code', () => {
    const { clock, server, watch, statuses } = world({ random: () => 0 });
    watch.start();
    clock.advance(100);
    server.endAll(CLOSE_CODES['slow-down']);
    const waiting = statuses.at(-1);
    expect(waiting).toMatchObject({ status: 'waiting', retryAt: clock.now() + 10_000 });
    watch.retryNow();
    clock.advance(0);
    expect(server.urls).toHaveLength(2);
  });

  it('[CW4] pings every 30 s, and drops a dead connection', () => {
    const { clock, server, watch, seqs } = world({ events: 1 });
    watch.start();
    clock.advance(5 * MINUTE_MS);
    expect(server.urls).toHaveLength(1);
    expect(server.pings.length).toBeGreaterThanOrEqual(9);
    const gaps = server.pings.slice(1).map((at, i) => at - (server.pings[i] ?? 0));
    expect(gaps.every((gap) => gap >= PING_INTERVAL_MS && gap < PING_INTERVAL_MS * 1.5)).toBe(true);
    server.cutCables();
    server.append(2);
    clock.advance(MINUTE_MS);
    expect(server.urls).toHaveLength(2);
    expect(seqs()).toEqual(upTo(3));
  });

  it('[CW4] drops a connection without a hello, or without a requested page', () => {
    const { clock, server, watch, seqs } = world({ events: 20 });
    server.accepts = 'silently';
    watch.start();
    clock.advance(16_000);
    // The hello arrives, but the first page is lost; the connection itself is fine.
    server.accepts = 'all';
    server.network.next = ['keep', 'drop'];
    clock.advance(2 * MINUTE_MS);
    expect(seqs()).toEqual(upTo(20));
  });

  it.each([
    ['sign-in', CLOSE_CODES['sign-in']],
    ['session-gone', CLOSE_CODES['session-gone']],
    ['upgrade-client', CLOSE_CODES['upgrade-client']],
  ] as const)('[CW5] %s is final: it is reported and not retried', (reason, code) => {
    const { clock, server, watch, statuses } = world();
    watch.start();
    clock.advance(100);
    server.endAll(code);
    clock.advance(10 * MINUTE_MS);
    expect(statuses.at(-1)).toEqual({ status: 'ended', reason });
    expect(server.urls).toHaveLength(1);
  });

  it('[CW5] a server that speaks a newer protocol is not misread', () => {
    const { clock, server, watch, statuses, seqs } = world({ events: 3 });
    server.protocolVersion = 99;
    watch.start();
    clock.advance(MINUTE_MS);
    expect(statuses.at(-1)).toEqual({ status: 'ended', reason: 'upgrade-client' });
    expect(seqs()).toEqual([]);
  });

  it('[CW5] closing is final, also from within a callback, and leaves no connection', () => {
    const { clock, server, watch, statuses } = world({ events: 30 });
    watch.start();
    clock.advance(0);
    watch.close();
    watch.close();
    clock.advance(10 * MINUTE_MS);
    expect(statuses.filter((s) => s.status === 'ended')).toHaveLength(1);
    expect(server.connections()).toBe(0);
    expect(server.urls).toHaveLength(1);
  });

  it('[CW6] a log that was restored from a backup is read from its start', () => {
    const { clock, server, watch, seqs } = world({ events: 12 });
    watch.start();
    clock.advance(100);
    server.endAll(1006);
    server.log = server.log.slice(0, 9);
    clock.advance(MINUTE_MS);
    expect(seqs()).toEqual(upTo(9));
    server.append(1);
    clock.advance(100);
    expect(seqs()).toEqual(upTo(10));
  });

  it('forwards live events', () => {
    const { clock, server, watch, live } = world();
    watch.start();
    clock.advance(100);
    const delta = { turnId: createId('turn'), partId: 'p', field: 'text', delta: 'a' };
    server.broadcast({ type: 'live', events: [{ type: 'part.delta', data: delta }] });
    clock.advance(10);
    expect(live).toHaveLength(1);
  });

  it('[CW7] on any network the client ends with the server’s log: no gap, no repetition, no reordering', () => {
    const step = fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({ do: fc.constant('append'), n: fc.integer({ min: 1, max: 9 }) }),
      },
      {
        weight: 4,
        arbitrary: fc.record({ do: fc.constant('pass'), n: fc.integer({ min: 1, max: 20_000 }) }),
      },
      {
        weight: 1,
        arbitrary: fc.record({
          do: fc.constant('end'),
          n: fc.constantFrom(1000, 1006, 1011, 4429),
        }),
      },
      {
        weight: 1,
        arbitrary: fc.record({
          do: fc.constantFrom('drop', 'twice', 'damage'),
          n: fc.integer({ min: 1, max: 3 }),
        }),
      },
      {
        weight: 1,
        arbitrary: fc.record({
          do: fc.constantFrom('cut', 'refuse', 'ignore', 'accept'),
          n: fc.constant(0),
        }),
      },
      {
        weight: 1,
        arbitrary: fc.record({ do: fc.constant('delay'), n: fc.integer({ min: 0, max: 3_000 }) }),
      },
    );
    const scenario = fc.record({
      before: fc.integer({ min: 0, max: 30 }),
      steps: fc.array(step, { maxLength: 40 }),
      random: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(scenario, ({ before, steps, random }) => {
        const { clock, server, watch, seqs, status } = world({
          events: before,
          random: () => random,
        });
        watch.start();
        for (const { do: what, n } of steps) {
          if (what === 'append') server.append(n);
          else if (what === 'pass') clock.advance(n);
          else if (what === 'end') server.endAll(n);
          else if (what === 'cut') server.cutCables();
          else if (what === 'refuse') server.accepts = 'none';
          else if (what === 'ignore') server.accepts = 'silently';
          else if (what === 'accept') server.accepts = 'all';
          else if (what === 'delay') server.network.delayMs = n;
          else server.network.next.push(...Array<'drop'>(n).fill(what as 'drop'));
          expect(seqs()).toEqual(upTo(seqs().length));
        }
        // The network recovers; one more event reveals what was lost before it.
        server.accepts = 'all';
        server.network.next = [];
        clock.advance(2 * MINUTE_MS);
        server.append(1);
        clock.advance(2 * MINUTE_MS);
        expect(seqs()).toEqual(upTo(server.log.length));
        expect(status()).toBe('live');
        watch.close();
        expect(server.connections()).toBe(0);
      }),
      { numRuns: 300 },
    );
  });
});
