import { expect, it } from 'vitest';
import { Fanout, type Output } from './fanout.ts';

it('delivers missed output to the next listener, once', async () => {
  const fanout = new Fanout();
  expect(fanout.publish({ stdout: 'early' })).toBeUndefined();
  const seen: Output[] = [];
  const stop = fanout.subscribe(async (output) => seen.push(output) > 0);
  await fanout.publish({ stderr: 'live' });
  stop();
  void fanout.publish({ stdout: 'later' });
  const second: Output[] = [];
  fanout.subscribe(async (output) => second.push(output) > 0);
  expect(seen).toEqual([{ stdout: 'early' }, { stderr: 'live' }]);
  expect(second).toEqual([{ stdout: 'later' }]);
});

it('keeps no more than the last megabyte', () => {
  const fanout = new Fanout();
  for (let index = 0; index < 100; index += 1)
    void fanout.publish({ stdout: `${index}`.padEnd(64 * 1024, '.') });
  const kept: Output[] = [];
  fanout.subscribe(async (output) => kept.push(output) > 0);
  expect(kept.length).toBeLessThanOrEqual(16);
  expect(
    'stdout' in (kept.at(-1) ?? {}) && (kept.at(-1) as { stdout: string }).stdout.startsWith('99'),
  ).toBe(true);
});

it('waits for the slowest listener', async () => {
  const fanout = new Fanout();
  const gate = Promise.withResolvers<boolean>();
  fanout.subscribe(async () => true);
  fanout.subscribe(() => gate.promise);
  let isDone = false;
  const publishing = fanout.publish({ pty: 'x' })?.then(() => (isDone = true));
  await Promise.resolve();
  expect(isDone).toBe(false);
  gate.resolve(true);
  await publishing;
  expect(isDone).toBe(true);
});
