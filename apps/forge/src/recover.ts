import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Forge, placeOf } from './forge.ts';
import { adoptOwnRefs } from './git/adopt-own-refs.ts';
import { compactOwnStore } from './git/compact.ts';
import { isForeign, ownDir } from './git/own-store.ts';
import { viewsDir } from './git/view.ts';
import { removeStaleLocks, waitForOrphans } from './git/locks.ts';
import { syncRefs } from './pulls/sync.ts';
import { discoverAll } from './repositories/register.ts';
import type { RepositoryRow } from './store/rows.ts';

const orphanWaitMs = 5000;
const tidyEveryMs = 30_000;

/** Before the first request: what a killed forge left half done is undone or finished. */
export async function recover(forge: Forge): Promise<void> {
  const alone = await waitForOrphans(forge.neutralDir, orphanWaitMs);
  for (const name of await readdir(forge.neutralDir))
    if (/^(index|new)-/.test(name))
      await rm(join(forge.neutralDir, name), { recursive: true, force: true });
  // Made again when they are needed; a git that still runs may need them now.
  if (alone) await rm(viewsDir(forge.neutralDir), { recursive: true, force: true });
  await discoverAll(forge);
  for (const repository of forge.store.repositories.list()) {
    if (!existsSync(repository.git_dir)) {
      forge.log(`repository ${repository.owner}/${repository.name}: ${repository.git_dir} is gone`);
      continue;
    }
    await tidy(forge, repository, alone);
    await tidyOwn(forge, repository, alone);
    const sender = forge.store.users.ofLogin(forge.options.login);
    try {
      await forge.lanes.of(repository.id).run(() => syncRefs(forge, repository, sender));
    } catch (error) {
      // One broken repository must not keep the others from being served.
      forge.log(`repository ${repository.owner}/${repository.name}: ${String(error)}`);
    }
  }
}

/** The forge's own part of a folder of the user; see git/own-store.ts. */
async function tidyOwn(forge: Forge, repository: RepositoryRow, alone: boolean): Promise<void> {
  const place = placeOf(forge, repository);
  const { pulls } = forge.store;
  const name = `repository ${repository.owner}/${repository.name}`;
  try {
    const isOurs = (number: number, sha: string) =>
      pulls.find(repository.id, number)?.head_sha === sha;
    const branches = pulls.headBranches(repository.id);
    const moved = await adoptOwnRefs(place, isOurs, branches);
    if (moved > 0) forge.log(`${name}: moved ${moved} refs of Ship out of the folder`);
    if (!alone || !isForeign(place)) return;
    await removeStaleLocks(ownDir(place), true);
    if (await compactOwnStore(place, branches)) forge.log(`${name}: packed its saved states`);
  } catch (error) {
    forge.log(`${name}: ${String(error)}`);
  }
}

async function tidy(forge: Forge, repository: RepositoryRow, alone: boolean): Promise<void> {
  const place = placeOf(forge, repository);
  const ours = repository.kind === 'bare' && place.gitDir.startsWith(`${forge.root}/`);
  const removed = await removeStaleLocks(place.gitDir, ours && alone);
  for (const file of removed) forge.log(`removed a stale lock: ${file}`);
}

/** A git process can be killed while the forge lives on; its lock must not block a branch until the next start. */
export function keepTidy(forge: Forge): () => Promise<void> {
  let running: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    running = running.then(() => tidyAll(forge));
  }, tidyEveryMs);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await running;
  };
}

async function tidyAll(forge: Forge): Promise<void> {
  for (const repository of forge.store.repositories.list())
    if (existsSync(repository.git_dir)) await tidy(forge, repository, false);
}
