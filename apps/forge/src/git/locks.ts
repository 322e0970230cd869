import { lstat, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** git holds a lock on a ref for milliseconds. One this old belongs to a process that was killed. */
const staleAfterMs = 60_000;

/**
 * Removes what a killed git process left behind. A lock in the forge's own repositories is stale as soon as no git of
 * ours runs any more (`everything`). In a folder of the user another program may hold one, so only ref locks past
 * their age go; `index.lock` is never touched, an open editor may hold it for hours.
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

/** Objects of a push that was cut off wait in a folder of their own; nothing refers to them. */
async function removeQuarantines(objects: string): Promise<void> {
  const names = await readdir(objects).catch(() => []);
  for (const name of names)
    if (name.startsWith('tmp_objdir-'))
      await rm(join(objects, name), { recursive: true, force: true });
}

async function lockFiles(folder: string): Promise<string[]> {
  // Behind a link are the locks of somebody else.
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

/** Waits until no git process of an earlier forge on this root is left. False when some still run after `maxMs`. */
export async function waitForOrphans(neutralDir: string, maxMs: number): Promise<boolean> {
  const deadline = Date.now() + maxMs;
  for (;;) {
    if (!(await hasOrphans(neutralDir))) return true;
    if (Date.now() >= deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function hasOrphans(neutralDir: string): Promise<boolean> {
  const mark = `SHIP_FORGE_NEUTRAL=${neutralDir}\0`;
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const environments = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')),
  );
  return environments.some((environment) => `${environment}\0`.includes(mark));
}
