import { Argument, type Command } from 'commander';
import type { Shell } from '../completion/scripts.ts';

export function registerCompletion(program: Command): void {
  program
    .command('completion')
    .description('print a completion script for a shell')
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'fish']))
    .addHelpText(
      'after',
      `
bash: ship completion bash > ~/.local/share/bash-completion/completions/ship
zsh:  ship completion zsh > a folder of your fpath, as _ship
fish: ship completion fish > ~/.config/fish/completions/ship.fish`,
    )
    .action(async (shell: Shell) => {
      const { completionScript } = await import('../completion/scripts.ts');
      const { vocabularyOf } = await import('../completion/vocabulary.ts');
      process.stdout.write(completionScript(shell, vocabularyOf(program)));
    });
}
