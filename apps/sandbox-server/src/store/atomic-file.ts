import { renameSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';

let sequence = 0;

/** Content that is synced to disk under a temporary name; only the rename is left. */
export interface StagedFile {
  commit(): Promise<void>;
  discard(): Promise<void>;
}

/** Syncs before the rename: otherwise a power failure could leave an empty file in place of the record. */
export async function stageFile(path: string, content: string): Promise<StagedFile> {
  sequence += 1;
  const temporary = `${path}.${process.pid}-${sequence}.tmp`;
  const discard = (): Promise<void> => rm(temporary, { force: true });
  const file = await open(temporary, 'w', 0o600);
  try {
    await file.writeFile(content);
    await file.datasync();
  } catch (error) {
    await file.close();
    await discard();
    throw error;
  }
  await file.close();
  return {
    discard,
    async commit() {
      try {
        // Synchronous: it takes microseconds, and a round trip to the thread pool a hundred times as long.
        renameSync(temporary, path);
      } catch (error) {
        await discard();
        throw error;
      }
    },
  };
}

/** Replaces a file atomically. A kill -9 at any moment leaves the old content or the new one. */
export async function writeAtomically(path: string, content: string): Promise<void> {
  const staged = await stageFile(path, content);
  await staged.commit();
}
