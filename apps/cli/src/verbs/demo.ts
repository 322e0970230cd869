import type { Command } from 'commander';
import { talking } from '../client/talk-options.ts';
import type { TalkOptions } from '../client/with-server.ts';

export function registerDemo(program: Command): void {
  talking(
    program
      .command('demo')
      .description(
        'see it work: a sample repository, a failing test, a draft pull request; needs no key',
      ),
  ).action(async (options: TalkOptions) => {
    const { runDemo } = await import('../demo/run-demo.ts');
    await runDemo(options);
  });
}
