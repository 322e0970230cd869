/** The `ship` command. Each verb is a file in verbs/, which is loaded only when called. */
import { CommanderError } from 'commander';
import { printFailure, reportUsage } from './failure.ts';
import { handleClosedOutput } from './output.ts';
import { createProgram } from './program.ts';

handleClosedOutput();
try {
  const program = await createProgram(process.argv[2]);
  await program.parseAsync();
} catch (error) {
  const json = process.argv.includes('--json');
  process.exitCode =
    error instanceof CommanderError ? reportUsage(error, json) : printFailure(error, json);
}
