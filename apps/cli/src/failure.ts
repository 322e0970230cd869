import { ShipFailure } from '@ship/protocol/errors';

/** A failure that the user can mend: shown as two lines, never with a stack trace. */
export class Failure extends Error {
  readonly remedy: string;
  readonly exitCode: number;

  constructor(message: string, remedy: string, exitCode = 1) {
    super(message);
    this.name = 'Failure';
    this.remedy = remedy;
    this.exitCode = exitCode;
  }
}

/** Prints what went wrong and gives the exit code; a program that asked for JSON gets it as the last line as well. */
export function printFailure(error: unknown, json = false): number {
  const failure = error instanceof ShipFailure ? fromServer(error) : error;
  if (failure instanceof Failure) {
    const { message, remedy, exitCode } = failure;
    process.stderr.write(`ship: ${message}\n${remedy.replace(/^(?=.)/gm, '  ')}\n`);
    if (json) {
      const details = error instanceof ShipFailure ? error.error : { message, remedy };
      process.stdout.write(`${JSON.stringify({ error: details })}\n`);
    }
    return exitCode;
  }
  const text = failure instanceof Error ? (failure.stack ?? failure.message) : String(failure);
  process.stderr.write(`ship: this is a fault in Ship itself, please report it\n${text}\n`);
  return 1;
}

function fromServer({ error }: ShipFailure): Failure {
  return new Failure(error.message, error.remedy);
}

export function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
