import { type Command, InvalidArgumentError } from 'commander';
import { DEFAULT_DATA_FOLDER } from '../where.ts';

export const DEFAULT_PORT = 4400;

interface UpOptions {
  port: number;
  data: string;
  open: boolean;
  demoScript?: string;
}

export function registerUp(program: Command): void {
  program
    .command('up')
    .description('start Ship on this machine and keep it running until Ctrl-C')
    .option('--port <number>', 'port of the page and the API', parsePort, DEFAULT_PORT)
    .option('--data <folder>', 'folder for all state', DEFAULT_DATA_FOLDER)
    .option('--no-open', 'do not open the page in a browser')
    .option('--demo-script <file>', 'what the demo model says (default: the general script)')
    .action(async ({ port, data, open, demoScript }: UpOptions) => {
      const { enterUserScope } = await import('../host/user-scope.ts');
      enterUserScope();
      const { runHost } = await import('../host/run-host.ts');
      const script = demoScript === undefined ? {} : { demoScript };
      await runHost({ port, dataFolder: data, openBrowser: open, ...script });
      // Told to stop during the first start, work on the template may still be going on; it must not keep us here.
      process.exit(0);
    });
}

/** For servers that may choose: 0 is any free port. */
export function parseAnyPort(text: string): number {
  return text === '0' ? 0 : parsePort(text);
}

export function parsePort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new InvalidArgumentError('It must be a number from 1 to 65535.');
  }
  return port;
}
