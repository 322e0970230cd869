/** Finds the processes, mounts and files that a test run of an ordinary user must not leave on the machine. */
import { spawnSync } from 'node:child_process';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { OrdinaryUser } from './user.ts';

const SUBORDINATE_COUNT = 65_536;

function belongsTo(user: OrdinaryUser, uid: number): boolean {
  const offset = uid - user.subordinateStart;
  return uid === user.uid || (offset >= 0 && offset < SUBORDINATE_COUNT);
}

const CHECKS = { processes, mounts, temporaryFiles, undeletable };

/** A process needs a moment to end after its signal. */
const GRACE_MS = 10_000;
const POLL_MS = 200;

/** One entry per check: its name, and what it found. */
export async function findLeftovers(
  user: OrdinaryUser,
): Promise<[check: string, found: string[]][]> {
  for (let waitedMs = 0; waitedMs < GRACE_MS && processes(user).length > 0; waitedMs += POLL_MS)
    await delay(POLL_MS);
  return Object.entries(CHECKS).map(([name, check]) => [name, check(user)]);
}

function processes(user: OrdinaryUser): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const status = readFileSync(`/proc/${pid}/status`, 'utf8');
        const uid = Number(/^Uid:\s+(\d+)/m.exec(status)?.[1]);
        // A zombie has ended; its parent is about to collect it.
        if (!belongsTo(user, uid) || /^State:\s+Z/m.test(status)) return [];
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
        return [`process ${pid} ${command}`];
      } catch {
        // It has ended since.
        return [];
      }
    });
}

function mounts(user: OrdinaryUser): string[] {
  const lines = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
  return lines.filter((line) => line.includes(user.home)).map((line) => `mount ${line}`);
}

function temporaryFiles(user: OrdinaryUser): string[] {
  return readdirSync('/tmp')
    .map((name) => join('/tmp', name))
    .filter((path) => belongsTo(user, lstatSync(path, { throwIfNoEntry: false })?.uid ?? -1))
    .map((path) => `file ${path}`);
}

/** Deletes the clone as its owner would, not as root. */
function undeletable(user: OrdinaryUser): string[] {
  const command = [...user.command, 'rm', '-rf', join(user.home, 'ship')];
  const { status, stderr } = spawnSync('env', command, { encoding: 'utf8' });
  return status === 0 ? [] : [`files that their owner cannot delete: ${stderr.slice(0, 500)}`];
}
