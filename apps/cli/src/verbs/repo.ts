import { type Command, InvalidArgumentError, Option } from 'commander';
import { talking } from '../client/talk-options.ts';
import type { TalkOptions } from '../client/with-server.ts';
import type { AddOptions } from '../repositories/add.ts';
import type { RepositoryChange } from '../sessions/repositories.ts';
import { parseSteps } from './run.ts';

const onOff = (flags: string, text: string) =>
  new Option(flags, `${text}: on, off, or default for what the settings say`).choices([
    'on',
    'off',
    'default',
  ]);

export function registerRepo(program: Command): void {
  const repo = program.command('repo').description('repositories and how they are prepared');
  talking(repo.command('ls').description('list repositories')).action(
    async (options: TalkOptions) => {
      const { listRepositories } = await import('../repositories/list.ts');
      await listRepositories(options);
    },
  );
  talking(repo.command('add').description('add a repository'))
    .argument('<path|url>', 'a folder on this machine, or a URL', parseGiven)
    .option('--name <name>', 'what it is called (default: the last part of its location)')
    .option('--base <branch>', 'branch that sessions start from (default: the repository’s own)')
    .option('--setup <command>', 'run once in each new sandbox, before the agent')
    .option('--verify <command>', 'run before and after the work')
    .option('--steps <number>', 'steps that the agent may take in one turn', parseSteps)
    .action(async (given: string, options: AddOptions) => {
      const { addRepository } = await import('../repositories/add.ts');
      await addRepository(given, options);
    });
  talking(repo.command('rm').description('remove a repository and its secrets; its sessions stay'))
    .argument('<repository>', 'its id, name, path or URL', parseGiven)
    .action(async (given: string, options: TalkOptions) => {
      const { removeRepository } = await import('../repositories/remove.ts');
      await removeRepository(given, options);
    });
  talking(repo.command('show').description('what was found in it and what Ship would run'))
    .argument('[path|url]', 'repository', '.')
    .option('--base <branch>', 'branch to look at (default: the repository’s own)')
    .action(async (given: string, options: TalkOptions & { base?: string }) => {
      const { showRepository } = await import('../sessions/repositories.ts');
      await showRepository(given, options);
    });
  talking(repo.command('set').description('change what runs before and after the agent'))
    .argument('[path|url]', 'repository', '.')
    .option('--setup <command>', 'setup command; empty for none')
    .option('--verify <command>', 'verify command; empty for the one that is detected')
    .addOption(onOff('--install <choice>', 'install dependencies when no setup is written'))
    .addOption(onOff('--install-scripts <choice>', 'let dependencies run their install scripts'))
    .action(async (given: string, options: TalkOptions & RepositoryChange) => {
      const { changeRepository } = await import('../sessions/repositories.ts');
      await changeRepository(given, options);
    });
}

function parseGiven(text: string): string {
  if (text.trim() !== '') return text;
  throw new InvalidArgumentError('It is empty. ship repo ls lists all repositories.');
}
