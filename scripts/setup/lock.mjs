import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CACHE } from './paths.mjs';

const LOCK = join(CACHE, 'setup.lock');
const WAIT_LIMIT_MS = 15 * 60_000;

/**
 * Two commands typed at once in one clone (`npm start` and `npm test`) must not install over each other.
 * @template T @param {() => Promise<T>} work
 */
export async function withSetupLock(work) {
  mkdirSync(CACHE, { recursive: true });
  await acquire();
  try {
    return await work();
  } finally {
    rmSync(LOCK, { force: true });
  }
}

async function acquire() {
  const deadlineMs = Date.now() + WAIT_LIMIT_MS;
  let announced = false;
  while (Date.now() < deadlineMs) {
    try {
      writeFileSync(LOCK, String(process.pid), { flag: 'wx' });
      return;
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
    }
    if (!holderIsAlive()) {
      rmSync(LOCK, { force: true });
      continue;
    }
    if (!announced)
      process.stderr.write('ship: another set-up of this clone is running, waiting for it …\n');
    announced = true;
    await sleep(200);
  }
  throw new Error(`another set-up held ${LOCK} for ${WAIT_LIMIT_MS / 60_000} minutes`);
}

/** A set-up that was killed leaves its lock behind; it must not block every later start. */
function holderIsAlive() {
  try {
    const pid = Number(readFileSync(LOCK, 'utf8'));
    // The holder writes its pid right after it made the file: empty means "just now".
    if (!Number.isInteger(pid) || pid <= 0) return true;
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}
