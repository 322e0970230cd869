import type { Command } from 'commander';
import { withClientOptions } from '../client/client-options.ts';
import type { ClientOptions } from '../client/with-server.ts';

export function registerModels(program: Command): void {
  withClientOptions(
    program.command('models').description('list the models that can be used now'),
  ).action(async (options: ClientOptions) => {
    const { listModels } = await import('../sessions/models.ts');
    await listModels(options);
  });
}
