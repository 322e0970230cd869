import { type Command, InvalidArgumentError } from 'commander';
import { collectPrivateHost } from '../host/machine-network.ts';
import type { ToolchainChoice } from '../toolchain-names.ts';
import { DEFAULT_DATA_FOLDER } from '../paths.ts';
import { addToolchainsOption } from './toolchains.ts';

export const DEFAULT_PORT = 4400;

interface UpOptions {
  port: number;
  data: string;
  open: boolean;
  registryGateway: boolean;
  demoScript?: string;
  allowPrivate: string[];
  toolchains: ToolchainChoice;
  templates?: string;
}

/** An option of `ship up` and `ship sandbox serve`. */
export const ALLOW_PRIVATE: [string, string, typeof collectPrivateHost, string[]] = [
  '--allow-private <host[=cidr]>',
  'let sandboxes reach this host of your own network at its private address; may be repeated',
  collectPrivateHost,
  [],
];

export function registerUp(program: Command): void {
  const up = program
    .command('up')
    .description('start Ship on this machine and keep it running until Ctrl-C')
    .option('--port <number>', 'port of the web app and the API', parsePort, DEFAULT_PORT)
    .option('--data <folder>', 'folder for all state', DEFAULT_DATA_FOLDER)
    .option('--no-open', 'do not open the web app in a browser')
    .option(
      '--no-registry-gateway',
      'sandboxes contact package registries directly: no shared cache, none of your registry settings',
    )
    .option('--demo-script <file>', 'what the demo model says (default: the general script)')
    .option(...ALLOW_PRIVATE)
    .option('--templates <folder>', 'folder with your own sandbox templates');
  addToolchainsOption(up).action(
    async ({ port, data, open, demoScript, templates, ...rest }: UpOptions) => {
      const { enterUserScope } = await import('../host/user-scope.ts');
      enterUserScope();
      const { runHost } = await import('../host/run-host.ts');
      await runHost({
        ...rest,
        port,
        dataFolder: data,
        openBrowser: open,
        ...(demoScript === undefined ? {} : { demoScript }),
        ...(templates === undefined ? {} : { templates }),
      });
      // After a stop during the first start, the template build may still run; it must not keep the process alive.
      process.exit(process.exitCode ?? 0);
    },
  );
}

/** Accepts 0 for any free port. */
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
