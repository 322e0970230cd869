import type { Command } from 'commander';
import { DEFAULT_DATA_FOLDER } from '../paths.ts';

/** Adds the options of every verb that calls a server. */
export function withClientOptions(command: Command): Command {
  return command
    .option('--url <url>', 'server to use (default: SHIP_URL, or the one of the data folder)')
    .option('--data <folder>', 'data folder of a server on this machine', DEFAULT_DATA_FOLDER)
    .option('--json', 'print JSON; the last line is the result');
}
