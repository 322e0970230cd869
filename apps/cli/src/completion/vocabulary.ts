import type { Command } from 'commander';

export interface Word {
  name: string;
  description: string;
}

export interface Verb extends Word {
  /** Long options, with their dashes. */
  options: Word[];
  /** Verbs below it, or the values of its argument. */
  below: Word[];
}

/** Every word that `ship` understands, taken from the program itself so that none is forgotten. */
export function vocabularyOf(program: Command): Verb[] {
  return program.commands.map((command) => ({
    name: command.name(),
    description: command.description(),
    options: [command, ...command.commands].flatMap(optionsOf),
    below: [
      ...command.commands.map((sub) => ({ name: sub.name(), description: sub.description() })),
      ...command.registeredArguments.flatMap(({ argChoices = [] }) =>
        argChoices.map((name) => ({ name, description: '' })),
      ),
    ],
  }));
}

function optionsOf(command: Command): Word[] {
  return [
    ...command.options.flatMap(({ long, description }) =>
      long === undefined || long === null ? [] : [{ name: long, description }],
    ),
    { name: '--help', description: 'show help' },
  ];
}
