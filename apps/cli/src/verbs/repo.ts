import { type Command, InvalidArgumentError, Option } from 'commander';
import { withClientOptions } from '../client/client-options.ts';
import type { ClientOptions } from '../client/with-server.ts';
import type { AddOptions } from '../repositories/add.ts';
import type { RepositoryChange } from '../sessions/repositories.ts';
import { parseSteps } from './run.ts';

const onOff = (flags: string, text: string) =>
  new Option(flags, `${text}: on, off, or default to use the settings`).choices([
    'on',
    'off',
    'default',
  ]);

export function registerRepo(program: Command): void {
  const repo = program.command('repo').description('repositories and how they are prepared');
  withClientOptions(repo.command('ls').description('list repositories')).action(
    async (options: ClientOptions) => {
      const { listRepositories } = await import('../repositories/list.ts');
      await listRepositories(options);
    },
  );
  withClientOptions(repo.command('add').description('add a repository'))
    .argument('<path|url>', 'a folder on this machine, or a URL', parseGiven)
    .option('--name <name>', 'its name (default: the last part of its location)')
    .option(
      '--base <branch>',
      'branch that sessions start from (default: the repository’s default)',
    )
    .option('--setup <command>', 'run once in each new sandbox, before the agent')
    .option('--verify <command>', 'run before and after the work')
    .option('--steps <number>', 'steps that the agent may take in one turn', parseSteps)
    .action(async (given: string, options: AddOptions) => {
      const { addRepository } = await import('../repositories/add.ts');
      await addRepository(given, options);
    });
  withClientOptions(
    repo.command('rm').description('remove a repository and its secrets; its sessions stay'),
  )
    .argument('<repository>', 'its id, name, path or URL', parseGiven)
    .action(async (given: string, options: ClientOptions) => {
      const { removeRepository } = await import('../repositories/remove.ts');
      await removeRepository(given, options);
    });
  withClientOptions(repo.command('show').description('show what Ship detects in it and would run'))
    .argument('[path|url]', 'repository', '.')
    .option('--base <branch>', 'branch to check (default: the repository’s default)')
    .action(async (given: string, options: ClientOptions & { base?: string }) => {
      const { showRepository } = await import('../sessions/repositories.ts');
      await showRepository(given, options);
    });
  withClientOptions(repo.command('set').description('change what runs before and after the agent'))
    .argument('[path|url]', 'repository', '.')
    .option('--setup <command>', 'setup command; empty for none')
    .option('--verify <command>', 'verify command; empty for the detected one')
    .addOption(onOff('--install <choice>', 'install dependencies when there is no setup'))
    .addOption(onOff('--install-scripts <choice>', 'let dependencies run their install scripts'))
    .action(async (given: string, options: ClientOptions & RepositoryChange) => {
      const { changeRepository } = await import('../sessions/repositories.ts');
      await changeRepository(given, options);
    });
}

function parseGiven(text: string): string {
  if (text.trim() !== '') return text;
  throw new InvalidArgumentError('It is empty. ship repo ls lists all repositories.');
}
