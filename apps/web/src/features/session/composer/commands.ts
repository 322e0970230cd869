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
  /** The argument after the name. */
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

export interface ParsedCommand {
  readonly command: SlashCommand;
  /** The text after the name; may be empty. */
  readonly rest: string;
}

/** Returns null for prompts that only look like a command, such as `/etc/hosts is wrong` or `/stop it from growing`. */
export function parseCommand(text: string): ParsedCommand | null {
  const [, name, rest = ''] = /^\/([a-z-]+)(?:\s+([^]*))?$/.exec(text.trim()) ?? [];
  const command = slashCommands.find((one) => one.name === name);
  if (command === undefined || (command.takes === 'nothing' && rest !== '')) return null;
  return { command, rest: rest.trim() };
}

export const commandsLike = (query: string): readonly SlashCommand[] =>
  slashCommands.filter(({ name }) => name.startsWith(query.toLowerCase()));
