import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

let sequence = 0;

/**
 * Replaces a file as a whole. A kill -9 at any moment leaves the old content or the new one, never a half of it; the
 * sync before the rename keeps an empty file from surviving a power cut in place of the record.
 */
export async function writeAtomically(path: string, content: string): Promise<void> {
  sequence += 1;
  const temporary = `${path}.${process.pid}-${sequence}.tmp`;
  const file = await open(temporary, 'w', 0o600);
  try {
    await file.writeFile(content);
    await file.datasync();
  } finally {
    await file.close();
  }
  try {
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Makes a rename or a removal itself durable. Some file systems cannot sync a folder: that is no reason to fail. */
export async function syncFolderOf(path: string): Promise<void> {
  try {
    const folder = await open(dirname(path), 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  } catch {
    // The record itself is in place; only a power cut within seconds could still undo the rename.
  }
}
