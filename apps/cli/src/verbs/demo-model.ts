import type { Command } from 'commander';
import { parseAnyPort } from './up.ts';

export function registerDemoModel(program: Command): void {
  program
    .command('demo-model')
    .description('a scripted model server, for the demo and for tests')
    .command('serve')
    .description('run it alone; prints one JSON line when it is ready')
    .option('--port <number>', 'port (default: any free one)', parseAnyPort, 0)
    .option('--script <file>', 'what to think, call and answer (default: the general script)')
    .action(async (options: { port: number; script?: string }) => {
      const { serveDemoModel } = await import('../serve/demo-model.ts');
      await serveDemoModel(options);
    });
}
