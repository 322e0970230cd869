import { lstat, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** git holds a ref lock for milliseconds. A lock this old belongs to a killed process. */
const staleAfterMs = 60_000;

/**
 * Removes the locks of killed git processes. In the forge's own repositories every lock is stale once no git process of the
 * forge runs (`everything`). In a user's folder another program may hold a lock, so only old ref locks are removed;
 * `index.lock` is never touched, as an open editor may hold it for hours.
 */
export async function removeStaleLocks(gitDir: string, everything: boolean): Promise<string[]> {
  const candidates = [join(gitDir, 'packed-refs.lock'), ...(await lockFiles(join(gitDir, 'refs')))];
  if (everything) candidates.push(join(gitDir, 'HEAD.lock'), join(gitDir, 'config.lock'));
  const removed: string[] = [];
  for (const file of candidates) {
    const age = await ageOf(file);
    if (age === undefined || (!everything && age < staleAfterMs)) continue;
    await rm(file, { force: true });
    removed.push(file);
  }
  if (everything) await removeQuarantines(join(gitDir, 'objects'));
  return removed;
}

/** An interrupted push leaves its objects in a quarantine folder, where nothing refers to them. */
async function removeQuarantines(objects: string): Promise<void> {
  const names = await readdir(objects).catch(() => []);
  for (const name of names)
    if (name.startsWith('tmp_objdir-'))
      await rm(join(objects, name), { recursive: true, force: true });
}

async function lockFiles(folder: string): Promise<string[]> {
  // A symlinked folder may belong to another program.
  if ((await lstat(folder).catch(() => undefined))?.isDirectory() !== true) return [];
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.lock'))
    .map((entry) => join(entry.parentPath, entry.name));
}

async function ageOf(file: string): Promise<number | undefined> {
  const info = await stat(file).catch(() => undefined);
  return info === undefined ? undefined : Date.now() - info.mtimeMs;
}

/** Waits for git processes of an earlier forge on this root. False when some still run after `maxMs`. */
export async function waitForOrphans(neutralDir: string, maxMs: number): Promise<boolean> {
  const deadline = Date.now() + maxMs;
  for (;;) {
    if (!(await hasOrphans(neutralDir))) return true;
    if (Date.now() >= deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function hasOrphans(neutralDir: string): Promise<boolean> {
  const marker = `SHIP_FORGE_NEUTRAL=${neutralDir}\0`;
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const environments = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')),
  );
  return environments.some((environment) => `${environment}\0`.includes(marker));
}
