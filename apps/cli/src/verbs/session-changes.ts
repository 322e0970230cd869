import type { Command } from 'commander';
import {
  SESSION_ID_OR_NEWEST,
  SESSION_ID_OR_CHOICE,
  parseSession,
} from '../client/find-session.ts';
import { withClientOptions } from '../client/client-options.ts';
import type { ClientOptions } from '../client/with-server.ts';
import type { WaitOptions } from '../sessions/changes.ts';

export function registerSessionChanges(program: Command): void {
  withClientOptions(
    program
      .command('retry')
      .alias('continue')
      .description('retry what failed, or continue after a limit or a stop'),
  )
    .argument('[session]', SESSION_ID_OR_NEWEST, parseSession)
    .option('--wait', 'wait until the agent is done')
    .option('--allow-failing-tests', 'with --wait: exit code 0 also when the work breaks tests')
    .action(async (session: string | undefined, options: WaitOptions) => {
      const { retrySession } = await import('../sessions/changes.ts');
      await retrySession(session, options);
    });
  withClientOptions(
    program.command('update').description('merge the newest commits of the base into the branch'),
  )
    .argument('[session]', SESSION_ID_OR_NEWEST, parseSession)
    .action(async (session: string | undefined, options: ClientOptions) => {
      const { updateSession } = await import('../sessions/changes.ts');
      await updateSession(session, options);
    });
  withClientOptions(program.command('stop').description('stop the agent; its work is kept'))
    .argument('[session]', SESSION_ID_OR_CHOICE, parseSession)
    .option('--all', 'withdraw the queued prompts too')
    .action(async (session: string | undefined, options: ClientOptions & { all?: boolean }) => {
      const { stopSession } = await import('../sessions/changes.ts');
      await stopSession(session, options);
    });
  withClientOptions(
    program.command('close').description('end a session permanently; its log is kept'),
  )
    .argument('[session]', SESSION_ID_OR_CHOICE, parseSession)
    .action(async (session: string | undefined, options: ClientOptions) => {
      const { closeSession } = await import('../sessions/changes.ts');
      await closeSession(session, options);
    });
  withClientOptions(
    program
      .command('delete')
      .description('delete a session with its log; its branch and pull request stay'),
  )
    .argument('[session]', SESSION_ID_OR_CHOICE, parseSession)
    .action(async (session: string | undefined, options: ClientOptions) => {
      const { deleteSession } = await import('../sessions/changes.ts');
      await deleteSession(session, options);
    });
}
