/** The `ship` command. Each verb is a file in verbs/, loaded only when it is called. */
import { CommanderError } from 'commander';
import { printFailure } from './failure.ts';
import { handleClosedOutput } from './output.ts';
import { createProgram } from './program.ts';

const USAGE_EXIT_CODE = 2;

handleClosedOutput();
try {
  const program = await createProgram(process.argv[2]);
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    // Commander has printed its message already; help and version are no mistakes.
    process.exitCode = error.exitCode === 0 ? 0 : USAGE_EXIT_CODE;
  } else {
    process.exitCode = printFailure(error, process.argv.includes('--json'));
  }
}
