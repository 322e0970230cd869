import { MergeMethod } from '@ship/protocol';
import { type Command, Option } from 'commander';
import {
  SESSION_ID_OR_NEWEST,
  SESSION_ID_OR_CHOICE,
  parseSession,
} from '../client/find-session.ts';
import { withClientOptions } from '../client/client-options.ts';
import type { ClientOptions } from '../client/with-server.ts';

export function registerPr(program: Command): void {
  const pr = program.command('pr').description('the pull request of a session');
  withClientOptions(
    pr.command('show', { isDefault: true }).description('show its URL, state and description'),
  )
    .argument('[session]', SESSION_ID_OR_NEWEST, parseSession)
    .action(async (session: string | undefined, options: ClientOptions) => {
      const { showPullRequest } = await import('../sessions/pull-request.ts');
      await showPullRequest(session, options);
    });
  withClientOptions(pr.command('diff').description('show its changes'))
    .argument('[session]', SESSION_ID_OR_NEWEST, parseSession)
    .action(async (session: string | undefined, options: ClientOptions) => {
      const { showDiff } = await import('../sessions/pull-request.ts');
      await showDiff(session, options);
    });
  withClientOptions(pr.command('ready').description('mark it ready for review'))
    .argument('[session]', SESSION_ID_OR_NEWEST, parseSession)
    .action(async (session: string | undefined, options: ClientOptions) => {
      const { markReady } = await import('../sessions/pull-request.ts');
      await markReady(session, options);
    });
  withClientOptions(pr.command('merge').description('merge it'))
    .argument('[session]', SESSION_ID_OR_CHOICE, parseSession)
    .addOption(
      new Option('--method <method>', 'merge method')
        .choices(MergeMethod.options)
        .default('squash'),
    )
    .action(
      async (session: string | undefined, options: ClientOptions & { method: MergeMethod }) => {
        const { merge } = await import('../sessions/pull-request.ts');
        await merge(session, options);
      },
    );
}
