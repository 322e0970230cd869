import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CACHE } from './paths.mjs';

const WAIT_LIMIT_MS = 15 * 60_000;

/**
 * Two commands typed at once in one clone (`npm start` and `npm test`) must not install over each other.
 * @template T @param {() => Promise<T>} work @param {string} folder
 */
export async function withSetupLock(work, folder = CACHE) {
  mkdirSync(folder, { recursive: true });
  const lock = join(folder, 'setup.lock');
  await acquire(lock);
  try {
    return await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

/** @param {string} lock */
async function acquire(lock) {
  const deadlineMs = Date.now() + WAIT_LIMIT_MS;
  let announced = false;
  while (Date.now() < deadlineMs) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
      return;
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
    }
    if (!holderIsAlive(lock)) {
      rmSync(lock, { force: true });
      continue;
    }
    if (!announced)
      process.stderr.write('ship: another set-up of this clone is running, waiting for it …\n');
    announced = true;
    await sleep(200);
  }
  throw new Error(`another set-up held ${lock} for ${WAIT_LIMIT_MS / 60_000} minutes`);
}

/**
 * A set-up that was killed leaves its lock behind; it must not block every later start.
 * @param {string} lock
 */
function holderIsAlive(lock) {
  try {
    const pid = Number(readFileSync(lock, 'utf8'));
    // The holder writes its pid right after it made the file: empty means "just now".
    if (!Number.isInteger(pid) || pid <= 0) return true;
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}
