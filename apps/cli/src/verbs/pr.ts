import { MergeMethod } from '@ship/protocol';
import { type Command, Option } from 'commander';
import { WHICH, WHICH_EXACTLY, parseSession } from '../client/find-session.ts';
import { talking } from '../client/talk-options.ts';
import type { TalkOptions } from '../client/with-server.ts';

export function registerPr(program: Command): void {
  const pr = program.command('pr').description('the pull request of a session');
  talking(pr.command('show', { isDefault: true }).description('where it is and how it is'))
    .argument('[session]', WHICH, parseSession)
    .action(async (session: string | undefined, options: TalkOptions) => {
      const { showPullRequest } = await import('../sessions/pull-request.ts');
      await showPullRequest(session, options);
    });
  talking(pr.command('diff').description('what it changes'))
    .argument('[session]', WHICH, parseSession)
    .action(async (session: string | undefined, options: TalkOptions) => {
      const { showDiff } = await import('../sessions/pull-request.ts');
      await showDiff(session, options);
    });
  talking(pr.command('ready').description('mark it ready for review'))
    .argument('[session]', WHICH, parseSession)
    .action(async (session: string | undefined, options: TalkOptions) => {
      const { markReady } = await import('../sessions/pull-request.ts');
      await markReady(session, options);
    });
  talking(pr.command('merge').description('merge it'))
    .argument('[session]', WHICH_EXACTLY, parseSession)
    .addOption(
      new Option('--method <method>', 'how').choices(MergeMethod.options).default('squash'),
    )
    .action(async (session: string | undefined, options: TalkOptions & { method: MergeMethod }) => {
      const { merge } = await import('../sessions/pull-request.ts');
      await merge(session, options);
    });
}
