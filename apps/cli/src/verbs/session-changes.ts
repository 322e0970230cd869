import type { Command } from 'commander';
import { WHICH, WHICH_EXACTLY, parseSession } from '../client/find-session.ts';
import { talking } from '../client/talk-options.ts';
import type { TalkOptions } from '../client/with-server.ts';
import type { WaitOptions } from '../sessions/changes.ts';

export function registerSessionChanges(program: Command): void {
  talking(
    program
      .command('retry')
      .alias('continue')
      .description('retry what failed, or continue after a limit or a stop'),
  )
    .argument('[session]', WHICH, parseSession)
    .option('--wait', 'until the agent is done')
    .option('--allow-failing-tests', 'with --wait: exit code 0 also when the work breaks tests')
    .action(async (session: string | undefined, options: WaitOptions) => {
      const { retrySession } = await import('../sessions/changes.ts');
      await retrySession(session, options);
    });
  talking(
    program.command('update').description('merge the newest commits of the base into the branch'),
  )
    .argument('[session]', WHICH, parseSession)
    .action(async (session: string | undefined, options: TalkOptions) => {
      const { updateSession } = await import('../sessions/changes.ts');
      await updateSession(session, options);
    });
  talking(program.command('stop').description('stop the agent; its work is kept'))
    .argument('[session]', WHICH_EXACTLY, parseSession)
    .option('--all', 'withdraw the waiting prompts too')
    .action(async (session: string | undefined, options: TalkOptions & { all?: boolean }) => {
      const { stopSession } = await import('../sessions/changes.ts');
      await stopSession(session, options);
    });
  talking(program.command('close').description('end a session for good; its log is kept'))
    .argument('[session]', WHICH_EXACTLY, parseSession)
    .action(async (session: string | undefined, options: TalkOptions) => {
      const { closeSession } = await import('../sessions/changes.ts');
      await closeSession(session, options);
    });
  talking(
    program
      .command('delete')
      .description('delete a session with its log; its branch and pull request stay'),
  )
    .argument('[session]', WHICH_EXACTLY, parseSession)
    .action(async (session: string | undefined, options: TalkOptions) => {
      const { deleteSession } = await import('../sessions/changes.ts');
      await deleteSession(session, options);
    });
}
