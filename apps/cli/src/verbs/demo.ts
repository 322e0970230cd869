import type { Command } from 'commander';
import { withClientOptions } from '../client/client-options.ts';
import type { ClientOptions } from '../client/with-server.ts';

export function registerDemo(program: Command): void {
  withClientOptions(
    program
      .command('demo')
      .description(
        'see it work: a sample repository, a failing test, a draft pull request; needs no key',
      ),
  ).action(async (options: ClientOptions) => {
    const { runDemo } = await import('../demo/run-demo.ts');
    await runDemo(options);
  });
}
