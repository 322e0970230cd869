import type { Command } from 'commander';

export interface Word {
  name: string;
  description: string;
}

export interface Verb extends Word {
  /** Long options, with their dashes. */
  options: Word[];
  /** Its sub-verbs, or the values of its argument. */
  below: Word[];
}

/** All verbs and options of `ship`, derived from the program so that none is missing. */
export function vocabularyOf(program: Command): Verb[] {
  return program.commands.flatMap((command) =>
    [command.name(), ...command.aliases()].map((name) => verbOf(name, command)),
  );
}

function verbOf(name: string, command: Command): Verb {
  return {
    name,
    description: command.description(),
    options: [command, ...command.commands].flatMap(optionsOf),
    below: [
      ...command.commands.map((sub) => ({ name: sub.name(), description: sub.description() })),
      ...command.registeredArguments.flatMap(({ argChoices = [] }) =>
        argChoices.map((choice) => ({ name: choice, description: '' })),
      ),
    ],
  };
}

function optionsOf(command: Command): Word[] {
  return [
    ...command.options.flatMap(({ long, description }) =>
      long === undefined || long === null ? [] : [{ name: long, description }],
    ),
    { name: '--help', description: 'show help' },
  ];
}
