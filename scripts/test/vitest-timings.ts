/**
 * A set-up file of vitest, only for `npm test -- --timings`: measures the processor time of each file and test inside the
 * worker, which runs one file at a time. Tests that run concurrently within a file share the figure.
 */
import { afterAll, afterEach, beforeEach } from 'vitest';
import { readStat } from '../setup/times.mjs';
import { treeMs } from './processor-time.ts';

/** Reading all of /proc takes milliseconds, longer than most units: they start few processes, and wait for them. */
const measureTest = process.env.SHIP_TEST_SUITE === 'units' ? ownMs : () => treeMs(process.pid);

function ownMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000 + readStat('self').waitedMs;
}

const fileStartMs = treeMs(process.pid);
const testStartMs = new Map<string, number>();

// Teardown hooks run in reverse order: registered first, these also measure the hooks of the file.
// oxlint-disable-next-line no-empty-pattern -- vitest reads the names of the fixtures from this pattern
afterAll(({}, { file }) => {
  file.meta.cpuMs = Math.max(0, treeMs(process.pid) - fileStartMs);
});
beforeEach(({ task }) => {
  testStartMs.set(task.id, measureTest());
});
afterEach(({ task }) => {
  task.meta.cpuMs = Math.max(0, measureTest() - (testStartMs.get(task.id) ?? 0));
  testStartMs.delete(task.id);
});
