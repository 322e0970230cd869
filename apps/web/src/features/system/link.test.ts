import { describe, expect, it } from 'vitest';
import { unreachable } from '../../api/error.ts';
import type { Health } from '@ship/protocol';
import { lastSeen, lost, nextPollMs, reached, serverNowMs } from './link.ts';

const health: Health = {
  status: 'ok',
  version: '0.1.0',
  protocolVersion: 1,
  now: '2026-01-01T00:00:00.000Z',
  parts: [],
};
const error = unreachable().error;

describe('link', () => {
  it('keeps the last known health through any number of failures', () => {
    const once = lost(reached(health, 10), error, 20);
    const twice = lost(once, error, 30);
    expect(lastSeen(once)).toEqual({ health, atMs: 10 });
    expect(lastSeen(twice)).toEqual({ health, atMs: 10 });
    expect(twice).toMatchObject({ failures: 2, triedAtMs: 30 });
  });

  it('has no health if the server was never reached', () => {
    expect(lastSeen(lost(undefined, error, 1))).toBeNull();
  });

  it('backs off while lost, up to a limit, and resets when reached', () => {
    let link = lost(undefined, error, 0);
    const waits = [nextPollMs(link)];
    for (let n = 0; n < 5; n += 1) {
      link = lost(link, error, 0);
      waits.push(nextPollMs(link));
    }
    expect(waits).toEqual([2000, 4000, 8000, 15_000, 15_000, 15_000]);
    expect(nextPollMs(reached(health, 0))).toBe(2000);
    expect(nextPollMs(undefined)).toBe(2000);
  });

  it('measures ages on the clock of the server', () => {
    const browserMs = 5_000_000;
    expect(serverNowMs({ health, atMs: browserMs }, browserMs + 1500)).toBe(
      Date.parse(health.now) + 1500,
    );
  });
});
