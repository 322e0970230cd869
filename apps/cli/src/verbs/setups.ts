import { SetupName } from '@ship/protocol';
import { type Command, InvalidArgumentError } from 'commander';
import { withClientOptions } from '../client/client-options.ts';
import type { ClientOptions } from '../client/with-server.ts';

export function registerSetups(program: Command): void {
  const setups = program.command('setups').description('kept results of repository setups');
  withClientOptions(setups.command('ls').description('list them, with the inputs of each')).action(
    async (options: ClientOptions) => {
      const { listSetups } = await import('../sessions/setups.ts');
      await listSetups(options);
    },
  );
  withClientOptions(
    setups.command('rm').description('delete one; the next session runs the setup in full'),
  )
    .argument('<name>', 'its name, as ship setups ls shows it', parseName)
    .action(async (name: SetupName, options: ClientOptions) => {
      const { removeSetup } = await import('../sessions/setups.ts');
      await removeSetup(name, options);
    });
}

function parseName(text: string): SetupName {
  const parsed = SetupName.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new InvalidArgumentError('It must be the name of a kept setup: ship-setup-…');
}
