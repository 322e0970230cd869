export interface SlashCommand {
  readonly name:
    | 'plan'
    | 'build'
    | 'model'
    | 'stop'
    | 'retry'
    | 'clear-queue'
    | 'review'
    | 'rename'
    | 'pause'
    | 'resume';
  readonly label: string;
  /** What may follow its name. */
  readonly takes: 'nothing' | 'a prompt' | 'a model' | 'a title';
}

const slashCommands: readonly SlashCommand[] = [
  { name: 'plan', label: 'Plan only, no file changes', takes: 'a prompt' },
  { name: 'build', label: 'Let the agent change files', takes: 'a prompt' },
  { name: 'model', label: 'Change the model for the next prompts', takes: 'a model' },
  { name: 'stop', label: 'Stop the agent and keep its work', takes: 'nothing' },
  { name: 'retry', label: 'Retry', takes: 'nothing' },
  { name: 'clear-queue', label: 'Clear the queue', takes: 'nothing' },
  { name: 'review', label: 'Review the pull request', takes: 'nothing' },
  { name: 'rename', label: 'Rename session', takes: 'a title' },
  { name: 'pause', label: 'Pause the sandbox', takes: 'nothing' },
  { name: 'resume', label: 'Resume the sandbox', takes: 'nothing' },
];

export interface Said {
  readonly command: SlashCommand;
  /** What follows the name; empty when nothing does. */
  readonly rest: string;
}

/** A command, or null for what is meant as a prompt: `/etc/hosts is wrong` and `/stop it from growing` are. */
export function readCommand(text: string): Said | null {
  const [, name, rest = ''] = /^\/([a-z-]+)(?:\s+([^]*))?$/.exec(text.trim()) ?? [];
  const command = slashCommands.find((one) => one.name === name);
  if (command === undefined || (command.takes === 'nothing' && rest !== '')) return null;
  return { command, rest: rest.trim() };
}

export const commandsLike = (query: string): readonly SlashCommand[] =>
  slashCommands.filter(({ name }) => name.startsWith(query.toLowerCase()));
