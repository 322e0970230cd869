import type { Command } from 'commander';
import { withClientOptions } from '../client/client-options.ts';
import type { SetupAgentOptions } from '../sessions/setup-agent.ts';

export function registerSetup(program: Command): void {
  withClientOptions(
    program
      .command('setup')
      .description('let an agent write .ship/setup.sh and test it in a clean sandbox'),
  )
    .option('--repo <path|url>', 'repository to work on', '.')
    .option('--base <branch>', 'branch to start from (default: the repository’s default)')
    .option('--wait', 'wait until the agent is done: exit code 0 done, 1 failed, 3 needs a person')
    .action(async (options: SetupAgentOptions) => {
      const { startSetupAgent } = await import('../sessions/setup-agent.ts');
      await startSetupAgent(options);
    });
}
