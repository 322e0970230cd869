import type { Command } from 'commander';
import { DEFAULT_DATA_FOLDER } from '../paths.ts';

export function registerGithub(program: Command): void {
  const github = program.command('github').description('sign in to GitHub, instead of a token');
  github
    .command('login')
    .description('shows a code to type at GitHub; stores the token in the data folder')
    .option('--client-id <id>', 'client id of an OAuth App (default: GITHUB_OAUTH_CLIENT_ID)')
    .option('--url <url>', 'a GitHub Enterprise Server (default: GITHUB_URL, or github.com)')
    .option('--data <folder>', 'folder for all state', DEFAULT_DATA_FOLDER)
    .action(async (options: { clientId?: string; url?: string; data: string }) => {
      const { signIn } = await import('../github/sign-in.ts');
      await signIn(options);
    });
  github
    .command('logout')
    .description('deletes the stored token')
    .option('--data <folder>', 'folder for all state', DEFAULT_DATA_FOLDER)
    .action(async (options: { data: string }) => {
      const { signOut } = await import('../github/sign-in.ts');
      signOut(options);
    });
}
