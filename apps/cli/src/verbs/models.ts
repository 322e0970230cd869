import type { Command } from 'commander';
import { talking } from '../client/talk-options.ts';
import type { TalkOptions } from '../client/with-server.ts';

export function registerModels(program: Command): void {
  talking(program.command('models').description('list the models that can be used now')).action(
    async (options: TalkOptions) => {
      const { listModels } = await import('../sessions/models.ts');
      await listModels(options);
    },
  );
}
