import type { Command } from 'commander';
import { parseAnyPort } from './up.ts';

export function registerForge(program: Command): void {
  program
    .command('forge')
    .description("a local forge that speaks GitHub's REST API and git")
    .command('serve')
    .description('run it alone; prints one JSON line when it is ready')
    .option('--port <number>', 'port (default: any free one)', parseAnyPort, 0)
    .option('--root <folder>', 'folder with its repositories and state', '.ship/forge')
    .action(async (options: { port: number; root: string }) => {
      const { serveForge } = await import('../serve/forge.ts');
      await serveForge(options);
    });
}
