import { SessionStatus } from '@ship/protocol';
import { type Command, InvalidArgumentError } from 'commander';
import { SESSION_ID_OR_NEWEST, parseSession } from '../client/find-session.ts';
import { withClientOptions } from '../client/client-options.ts';
import type { ClientOptions } from '../client/with-server.ts';
import type { PromptOptions } from '../sessions/commands.ts';
import type { ListOptions } from '../sessions/list.ts';
import type { LogsOptions } from '../sessions/logs.ts';

export function registerSessions(program: Command): void {
  withClientOptions(program.command('ls').description('list sessions, newest first'))
    .option('--status <list>', 'only these statuses, separated by commas', parseStatuses)
    .option('--search <words>', 'only those with these words in title, repository or branch')
    .option('--limit <number>', 'maximum number of sessions', parseLimit, 20)
    .action(async (options: ListOptions) => {
      const { listSessions } = await import('../sessions/list.ts');
      await listSessions(options);
    });
  withClientOptions(
    program
      .command('show')
      .description('show one session')
      .argument('[session]', SESSION_ID_OR_NEWEST, parseSession),
  ).action(async (session: string | undefined, options: ClientOptions) => {
    const { showSession } = await import('../sessions/show.ts');
    await showSession(session, options);
  });
  withClientOptions(program.command('logs').description('print what happened in a session'))
    .argument('[session]', SESSION_ID_OR_NEWEST, parseSession)
    .option('-f, --follow', 'keep printing new events')
    .action(async (session: string | undefined, options: LogsOptions) => {
      const { printLogs } = await import('../sessions/logs.ts');
      await printLogs(session, options);
    });
  withClientOptions(program.command('prompt').description('send another prompt to a session'))
    .argument('<session>', 'its id or a part of it', parseSession)
    .argument('<text>', 'what to do')
    .option('--wait', 'wait until the agent is done with it')
    .option('--allow-failing-tests', 'with --wait: exit code 0 also when the work breaks tests')
    .action(async (session: string, text: string, options: PromptOptions) => {
      const { sendPrompt } = await import('../sessions/commands.ts');
      await sendPrompt(session, text, options);
    });
  withClientOptions(program.command('open').description('open the web app, or a session in it'))
    .argument('[session]', 'its id or a part of it', parseSession)
    .action(async (session: string | undefined, options: ClientOptions) => {
      const { openPage } = await import('../sessions/commands.ts');
      await openPage(session, options);
    });
}

function parseStatuses(text: string): SessionStatus[] {
  const parsed = SessionStatus.array().safeParse(text.split(','));
  if (parsed.success) return parsed.data;
  throw new InvalidArgumentError(`The statuses are: ${SessionStatus.options.join(', ')}.`);
}

function parseLimit(text: string): number {
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= 200) return limit;
  throw new InvalidArgumentError('It must be a number from 1 to 200.');
}
