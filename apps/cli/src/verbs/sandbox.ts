import { type Command, InvalidArgumentError, Option } from 'commander';
import { Failure } from '../failure.ts';
import type { ToolchainChoice } from '../toolchain-names.ts';
import { addToolchainsOption } from './toolchains.ts';
import { ALLOW_PRIVATE, parseAnyPort } from './up.ts';

interface ServeOptions {
  port: number;
  apiKey?: string;
  data: string;
  domain?: string;
  pool: Record<string, number>;
  allow: string[];
  allowPrivate: string[];
  templates?: string;
  toolchains: ToolchainChoice;
  registryGateway: boolean;
  onExit: 'leave' | 'pause' | 'stop';
}

const collect = (value: string, before: string[]) => [...before, value];

export function registerSandbox(program: Command): void {
  const sandbox = program
    .command('sandbox')
    .description("local sandboxes that speak E2B's protocol");
  const serve = sandbox
    .command('serve')
    .description('run the E2B-compatible server alone; prints one JSON line when it is ready')
    .option('--port <number>', 'port of API and sandboxes (default: any free one)', parseAnyPort, 0)
    .addOption(new Option('--api-key <key>', 'key that clients must send').env('E2B_API_KEY'))
    .option('--data <folder>', 'folder for all state', '.ship/sandboxes')
    .option('--domain <name>', 'sandbox ports are at PORT-ID.<name> (default: localhost:PORT)')
    .option(
      '--pool <template=count>',
      'keep ready sandboxes of a template; may be repeated',
      parsePool,
      {},
    )
    .option('--allow <host>', 'let sandboxes reach this host too; may be repeated', collect, [])
    .option(...ALLOW_PRIVATE)
    .option('--no-registry-gateway', 'no shared cache of package registries')
    .option('--templates <folder>', 'folder with your own templates')
    .addOption(
      new Option('--on-exit <fate>', 'what happens to running sandboxes when the server ends')
        .choices(['leave', 'pause', 'stop'])
        .default('leave'),
    );
  addToolchainsOption(serve).action(async (options: ServeOptions) => {
    const { serveSandboxes } = await import('../serve/sandboxes.ts');
    if (options.apiKey === undefined) {
      throw new Failure(
        'an API key is needed',
        'Give one with --api-key KEY or in E2B_API_KEY.',
        2,
      );
    }
    await serveSandboxes({ ...options, apiKey: options.apiKey });
  });
}

function parsePool(text: string, before: Record<string, number>): Record<string, number> {
  const match = /^([a-z0-9][a-z0-9_-]*)=(\d{1,3})$/i.exec(text);
  if (match === null) throw new InvalidArgumentError('It must look like base=2.');
  return { ...before, [match[1] ?? '']: Number(match[2]) };
}
