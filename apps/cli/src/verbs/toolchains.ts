import { type Command, InvalidArgumentError, Option } from 'commander';
import { TOOLCHAIN_NAMES, type ToolchainChoice } from '../toolchain-names.ts';

/** An option of `ship up` and `ship sandbox serve`. */
export function addToolchainsOption(command: Command): Command {
  return command.addOption(
    new Option(
      '--toolchains <which>',
      `compilers and runtimes of this machine that sandboxes may use, read-only: auto, none, or some of ${TOOLCHAIN_NAMES.join(',')}`,
    )
      .default('auto')
      .argParser(parseToolchains),
  );
}

export function parseToolchains(text: string): ToolchainChoice {
  if (text === 'auto' || text === 'none') return text;
  return text.split(',').map((part) => {
    const name = TOOLCHAIN_NAMES.find((known) => known === part.trim());
    if (name !== undefined) return name;
    throw new InvalidArgumentError(
      `It must be auto, none, or names from ${TOOLCHAIN_NAMES.join(', ')} with commas between them.`,
    );
  });
}
