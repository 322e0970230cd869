import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseStat, readStat } from '../setup/times.mjs';
import { LostTime, type ProcessTimes, readProcesses, treeMs } from './processor-time.ts';

const snapshot = (
  ...processes: [pid: number, parent: number, ownMs: number, waitedMs?: number][]
) =>
  new Map(
    processes.map(([pid, parent, ownMs, waitedMs = 0]): [number, ProcessTimes] => [
      pid,
      { pid, parent, ownMs, waitedMs, startedTick: pid },
    ]),
  );

/** By processor time, not by the clock: a loaded machine gives little of it in any given moment. */
const BURN =
  'let used = 0; while (used < 100_000) { const { user, system } = process.cpuUsage(); used = user + system; }';

describe('processor time from /proc', () => {
  it('reads a line whose program name has spaces and parentheses', () => {
    const line = `42 (a) b (c) S 7 ${Array.from({ length: 9 }, () => 0).join(' ')} 1 2 3 4 20 0 1 0 999 0`;
    expect(parseStat(line)).toEqual({
      pid: 42,
      parent: 7,
      ownMs: 30,
      waitedMs: 70,
      startedTick: 999,
    });
  });

  it('counts an ended child in its parent', () => {
    const before = readStat('self').waitedMs;
    spawnSync(process.execPath, ['-e', BURN]);
    expect(readStat('self').waitedMs - before).toBeGreaterThanOrEqual(50);
  });

  it('counts a living child in the tree of its parent', async () => {
    const child = spawn(process.execPath, [
      '-e',
      `${BURN} console.log(1); setInterval(() => {}, 1e6)`,
    ]);
    onTestFinished(() => void child.kill());
    await once(child.stdout, 'data');
    expect(treeMs(child.pid ?? 0, readProcesses())).toBeGreaterThanOrEqual(50);
  });

  it('sums a tree without its siblings', () => {
    const tree = snapshot([1, 0, 500], [2, 1, 10, 5], [3, 2, 20], [4, 1, 900]);
    expect(treeMs(2, tree)).toBe(35);
  });
});

describe('time that no parent received', () => {
  it('is nothing when parents wait for their children', () => {
    const lost = new LostTime(2);
    lost.sample(snapshot([1, 0, 0], [2, 1, 10], [3, 2, 20], [4, 3, 30]));
    lost.sample(snapshot([1, 0, 0], [2, 1, 10], [3, 2, 20, 33]));
    lost.sample(snapshot([1, 0, 0], [2, 1, 11, 55]));
    expect(lost.end(66)).toBe(66);
  });

  it('is the time of the children of a parent that was killed with them', () => {
    const lost = new LostTime(2);
    lost.sample(snapshot([1, 0, 0], [2, 1, 10], [3, 2, 20], [4, 3, 300]));
    lost.sample(snapshot([1, 0, 0], [2, 1, 10, 20]));
    expect(lost.end(30)).toBe(330);
  });

  it('is the time of a process that outlived its parent, ended or not', () => {
    const lost = new LostTime(2);
    lost.sample(snapshot([1, 0, 0], [2, 1, 10], [3, 2, 20], [4, 3, 300], [5, 3, 40]));
    lost.sample(snapshot([1, 0, 0], [2, 1, 10, 20], [4, 1, 310], [5, 1, 50]));
    lost.sample(snapshot([1, 0, 0], [2, 1, 10, 20], [5, 1, 60]));
    expect(lost.end(30)).toBe(30 + 310 + 60);
  });

  it('is the time of the children of a root that was killed', () => {
    const lost = new LostTime(2);
    lost.sample(snapshot([1, 0, 0], [2, 1, 10], [3, 2, 500]));
    expect(lost.end(12)).toBe(510);
  });

  it('does not take a new process for an old one with the same id', () => {
    const lost = new LostTime(2);
    lost.sample(snapshot([1, 0, 0], [2, 1, 10], [3, 2, 500]));
    const reused = snapshot([1, 0, 0], [2, 1, 10, 500]);
    reused.set(3, { pid: 3, parent: 1, ownMs: 9_000, waitedMs: 0, startedTick: 77 });
    lost.sample(reused);
    expect(lost.end(510)).toBe(510);
  });
});
