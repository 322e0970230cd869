import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Forge, pathsOf } from './forge.ts';
import { migratePrivateRefs } from './git/migrate-private-refs.ts';
import { compactPrivateStore } from './git/compact-private-store.ts';
import { isUserRepository, privateStoreDir } from './git/private-store.ts';
import { viewsDir } from './git/view.ts';
import { removeStaleLocks, waitForOrphans } from './git/locks.ts';
import { syncRefs } from './pulls/sync.ts';
import { discoverAll } from './repositories/register.ts';
import type { RepositoryRow } from './store/rows.ts';

const orphanWaitMs = 5000;
const lockCleanupIntervalMs = 30_000;

/** Runs before the first request: undoes or finishes work that a killed forge left incomplete. */
export async function recover(forge: Forge): Promise<void> {
  const noOrphans = await waitForOrphans(forge.neutralDir, orphanWaitMs);
  for (const name of await readdir(forge.neutralDir))
    if (/^(index|new)-/.test(name))
      await rm(join(forge.neutralDir, name), { recursive: true, force: true });
  // Views are rebuilt on demand, but a git process that still runs may use them now.
  if (noOrphans) await rm(viewsDir(forge.neutralDir), { recursive: true, force: true });
  await discoverAll(forge);
  for (const repository of forge.store.repositories.list()) {
    if (!existsSync(repository.git_dir)) {
      forge.log(
        `repository ${repository.owner}/${repository.name}: ${repository.git_dir} no longer exists`,
      );
      continue;
    }
    await cleanLocks(forge, repository, noOrphans);
    await maintainPrivateStore(forge, repository, noOrphans);
    const sender = forge.store.users.findOrCreate(forge.options.login);
    try {
      await forge.queues.of(repository.id).run(() => syncRefs(forge, repository, sender));
    } catch (error) {
      // A broken repository must not block the others.
      forge.log(`repository ${repository.owner}/${repository.name}: ${String(error)}`);
    }
  }
}

/** Migrates and compacts the private store of a user's repository; see git/private-store.ts. */
async function maintainPrivateStore(
  forge: Forge,
  repository: RepositoryRow,
  noOrphans: boolean,
): Promise<void> {
  const paths = pathsOf(forge, repository);
  const { pulls } = forge.store;
  const name = `repository ${repository.owner}/${repository.name}`;
  try {
    const isForgePull = (number: number, sha: string) =>
      pulls.find(repository.id, number)?.head_sha === sha;
    const branches = pulls.headBranches(repository.id);
    const moved = await migratePrivateRefs(paths, isForgePull, branches);
    if (moved > 0) forge.log(`${name}: moved ${moved} refs of Ship out of the user’s folder`);
    if (!noOrphans || !isUserRepository(paths)) return;
    await removeStaleLocks(privateStoreDir(paths), true);
    if (await compactPrivateStore(paths, branches)) forge.log(`${name}: packed its checkpoints`);
  } catch (error) {
    forge.log(`${name}: ${String(error)}`);
  }
}

async function cleanLocks(
  forge: Forge,
  repository: RepositoryRow,
  noOrphans: boolean,
): Promise<void> {
  const paths = pathsOf(forge, repository);
  const isManaged = repository.kind === 'bare' && paths.gitDir.startsWith(`${forge.root}/`);
  const removed = await removeStaleLocks(paths.gitDir, isManaged && noOrphans);
  for (const file of removed) forge.log(`removed a stale lock: ${file}`);
}

/** Removes stale locks periodically: the lock of a killed git process must not block a branch until the next start. */
export function startLockCleanup(forge: Forge): () => Promise<void> {
  let running: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    running = running.then(() => cleanAllLocks(forge));
  }, lockCleanupIntervalMs);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await running;
  };
}

async function cleanAllLocks(forge: Forge): Promise<void> {
  for (const repository of forge.store.repositories.list())
    if (existsSync(repository.git_dir)) await cleanLocks(forge, repository, false);
}
