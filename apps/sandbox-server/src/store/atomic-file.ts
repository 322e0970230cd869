import { renameSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';

let sequence = 0;

/** Content that is safe on disk under another name; only a rename is left to do. */
export interface StagedFile {
  commit(): Promise<void>;
  discard(): Promise<void>;
}

/** The sync before the rename keeps an empty file from surviving a power cut in place of the record. */
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
        // At once: it takes microseconds, and the way to a thread and back a hundred times as long.
        renameSync(temporary, path);
      } catch (error) {
        await discard();
        throw error;
      }
    },
  };
}

/** Replaces a file as a whole. A kill -9 at any moment leaves the old content or the new one, never a half of it. */
export async function writeAtomically(path: string, content: string): Promise<void> {
  const staged = await stageFile(path, content);
  await staged.commit();
}
