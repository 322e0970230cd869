/** `ship clean`: sandbox files may belong to subordinate ids, which a plain `rm -rf` cannot delete. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { deleteSandboxes } from '@ship/sandbox-server';
import { Failure } from '../failure.ts';
import { dataFolderAt } from '../paths.ts';
import { DataFolder } from './data-folder.ts';

/** Every data folder has these; a wrong folder must not be deleted. */
const MARKS = ['run/lock', 'objects', 'secrets'];

/** Returns the deleted folder; null when there was none. */
export async function cleanDataFolder(options: {
  folder: string;
  isConfirmed: boolean;
}): Promise<string | null> {
  const folder = dataFolderAt(options.folder);
  if (!existsSync(folder)) return null;
  if (!MARKS.every((mark) => existsSync(join(folder, mark))))
    throw new Failure(
      `${folder} is not a data folder of Ship; nothing was deleted.`,
      'Name the folder that you gave to ship up: --data FOLDER.',
    );
  if (!options.isConfirmed) await confirm(folder);
  // Refuses while a server uses the folder.
  const data = DataFolder.open(folder);
  try {
    await deleteSandboxes(data.folder('sandboxes'), folder);
  } finally {
    data.close();
  }
  return folder;
}

async function confirm(folder: string): Promise<void> {
  const refusal = new Failure(
    'Nothing was deleted.',
    'Use --yes to delete without confirmation.',
    2,
  );
  if (!process.stdin.isTTY) throw refusal;
  const question = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await question.question(
    `Delete ${folder} with all sessions, settings and keys? [y/N] `,
  );
  question.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw refusal;
}
