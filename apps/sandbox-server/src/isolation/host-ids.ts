/** Information for host processes about the ids of sandboxes, without a running server. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openFileOwner } from './bubblewrap/file-owner.ts';
import { findHostTools } from './bubblewrap/host-tools.ts';
import { createBubblewrapBackend } from './index.ts';

interface IdsFinding {
  /** Shown to people. */
  detail: string;
  /** Undefined when nothing can be improved. */
  remedy: string | undefined;
}

/** For `ship doctor`: whether this user's sandboxes have two ids inside, and the remedy if not. */
export async function examineIds(): Promise<IdsFinding> {
  const owner = await openFileOwner(findHostTools());
  if (owner.mode === 'root') return { detail: 'unused ids of this machine', remedy: undefined };
  if (owner.uidStart !== undefined)
    return { detail: `subordinate ids from ${owner.uidStart}`, remedy: undefined };
  return {
    detail: 'root and user are one id inside a sandbox, and it is yours',
    remedy: owner.weakness,
  };
}

/** Kills every sandbox of a server's data folder and deletes `folder`, whichever ids own its files. */
export async function deleteSandboxes(serverDataFolder: string, folder: string): Promise<void> {
  const dataFolder = join(serverDataFolder, 'isolation');
  if (existsSync(dataFolder)) {
    const backend = await createBubblewrapBackend({ dataFolder });
    for (const id of await backend.list()) await backend.destroy(id);
    await backend.release();
  }
  await (await openFileOwner(findHostTools())).remove(folder);
}
