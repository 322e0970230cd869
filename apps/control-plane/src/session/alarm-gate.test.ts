import { describe, expect, it } from 'vitest';
import { AlarmGate } from './alarm-gate.ts';

describe('alarms that are due at the same time', () => {
  it('[FW3] some proceed at once, the others one after the other', () => {
    const gate = new AlarmGate();
    const waits = Array.from({ length: 200 }, (_, i) => gate.waitMs(`s${i}`, 1_000_000));
    expect(waits.slice(0, 10).every((wait) => wait === 0)).toBe(true);
    expect(waits.filter((wait) => wait === 0).length).toBeLessThanOrEqual(11);
    expect(waits.at(-1)).toBeLessThanOrEqual(20_000);
    // No more than ten within any second.
    const seconds = Map.groupBy(
      waits.filter((wait) => wait > 0),
      (wait) => Math.ceil(wait / 1000),
    );
    for (const [, those] of seconds) expect(those.length).toBeLessThanOrEqual(10);
  });

  it('[FW3] occasional ones never wait, and no number of them gets stuck', () => {
    const gate = new AlarmGate();
    for (let at = 0; at < 100_000; at += 150) expect(gate.waitMs(`s${at}`, 1_000_000 + at)).toBe(0);
    for (let i = 0; i < 10_000; i += 1)
      expect(gate.waitMs(`t${i}`, 2_000_000)).toBeLessThanOrEqual(20_000);
    expect(gate.waitMs('late', 2_030_000)).toBe(0);
  });

  it('[FW3] one that has waited proceeds, even if the platform evicted its object meanwhile', () => {
    const gate = new AlarmGate();
    const names = Array.from({ length: 10_000 }, (_, i) => `s${i}`);
    for (const name of names) gate.waitMs(name, 1_000_000);
    expect(names.slice(20).map((name) => gate.waitMs(name, 1_020_000))).toEqual(
      names.slice(20).map(() => 0),
    );
    // Only once.
    expect(names.slice(-100).some((name) => gate.waitMs(name, 1_020_000) > 0)).toBe(true);
  });
});
