import { SetupName } from '@ship/protocol';
import { type Command, InvalidArgumentError } from 'commander';
import { talking } from '../client/talk-options.ts';
import type { TalkOptions } from '../client/with-server.ts';

export function registerSetups(program: Command): void {
  const setups = program.command('setups').description('kept results of repository setups');
  talking(setups.command('ls').description('list them, with what went into each')).action(
    async (options: TalkOptions) => {
      const { listSetups } = await import('../sessions/setups.ts');
      await listSetups(options);
    },
  );
  talking(setups.command('rm').description('delete one; the next session runs the setup in full'))
    .argument('<name>', 'its name, as ship setups ls shows it', parseName)
    .action(async (name: SetupName, options: TalkOptions) => {
      const { removeSetup } = await import('../sessions/setups.ts');
      await removeSetup(name, options);
    });
}

function parseName(text: string): SetupName {
  const parsed = SetupName.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new InvalidArgumentError('It must be the name of a kept setup: ship-setup-…');
}
