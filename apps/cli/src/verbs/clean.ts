import type { Command } from 'commander';
import { DEFAULT_DATA_FOLDER } from '../paths.ts';

interface CleanOptions {
  data: string;
  yes?: boolean;
  json?: boolean;
}

export function registerClean(program: Command): void {
  program
    .command('clean')
    .description('delete the data folder: sessions, sandboxes, settings, keys, local pull requests')
    .option('--data <folder>', 'folder for all state', DEFAULT_DATA_FOLDER)
    .option('--yes', 'do not ask')
    .option('--json', 'print one JSON object')
    .action(async ({ data, yes = false, json = false }: CleanOptions) => {
      const { cleanDataFolder } = await import('../host/clean.ts');
      const deleted = await cleanDataFolder({ folder: data, isConfirmed: yes });
      if (json) process.stdout.write(`${JSON.stringify({ deleted })}\n`);
      else
        process.stdout.write(deleted === null ? 'Nothing to delete.\n' : `Deleted ${deleted}.\n`);
    });
}
