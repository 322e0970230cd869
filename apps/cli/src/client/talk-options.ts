import type { Command } from 'commander';
import { DEFAULT_DATA_FOLDER } from '../where.ts';

/** The options of every verb that talks to a server. */
export function talking(command: Command): Command {
  return command
    .option('--url <url>', 'server to talk to (default: SHIP_URL, or the one of the data folder)')
    .option('--data <folder>', 'data folder of a server on this machine', DEFAULT_DATA_FOLDER)
    .option('--json', 'print JSON; the last line is the result');
}
