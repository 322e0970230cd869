import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CACHE } from './paths.mjs';

/** Linux reports processor time in ticks of 10 ms on every architecture that Ship runs on. */
const TICK_MS = 10;

/**
 * @typedef {object} ProcessTimes one line of /proc/PID/stat
 * @property {number} pid
 * @property {number} parent
 * @property {number} startedTick tells a process from a later one with the same id
 * @property {number} ownMs processor time of the process itself, user and system
 * @property {number} waitedMs processor time of the ended descendants that it waited for
 */

/**
 * The name of a program may contain spaces and parentheses: the fields are counted from the last parenthesis.
 * @param {string} stat @returns {ProcessTimes}
 */
export function parseStat(stat) {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const field = (/** @type {number} */ number) => Number(fields[number - 3]);
  return {
    pid: Number.parseInt(stat, 10),
    parent: field(4),
    startedTick: field(22),
    ownMs: (field(14) + field(15)) * TICK_MS,
    waitedMs: (field(16) + field(17)) * TICK_MS,
  };
}

/** @param {number | 'self'} pid */
export function readStat(pid) {
  return parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
}

/** @typedef {{name: string, wallMs: number, cpuMs: number}} SetupTime */
/** @typedef {{endedAtMs: number, steps: SetupTime[]}} SetupTimes */

/** @type {SetupTime[]} */
const steps = [];

function spentMs() {
  try {
    const { ownMs, waitedMs } = readStat('self');
    return ownMs + waitedMs;
  } catch {
    // Not Linux: set-up must work without the figure.
    return 0;
  }
}

/** Starts a measurement; the returned function ends it and records it under `name`. @param {string} name */
export function measureSetup(name) {
  const startedAtMs = performance.now();
  const before = spentMs();
  return () => {
    steps.push({ name, wallMs: performance.now() - startedAtMs, cpuMs: spentMs() - before });
  };
}

/** @param {string} profile */
const fileOf = (profile) => join(CACHE, `set-up-${profile}.json`);

/** For `npm test -- --timings`, which starts after set-up has ended. @param {string} profile */
export function saveSetupTimes(profile) {
  mkdirSync(CACHE, { recursive: true });
  writeFileSync(fileOf(profile), JSON.stringify({ endedAtMs: Date.now(), steps }));
}

/** @param {string} profile @returns {SetupTimes | undefined} */
export function readSetupTimes(profile) {
  try {
    return JSON.parse(readFileSync(fileOf(profile), 'utf8'));
  } catch {
    return undefined;
  }
}
