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

/** Prints what went wrong and gives the exit code. */
export function printFailure(error: unknown): number {
  if (error instanceof Failure) {
    process.stderr.write(`ship: ${error.message}\n${error.remedy.replace(/^(?=.)/gm, '  ')}\n`);
    return error.exitCode;
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`ship: this is a fault in Ship itself, please report it\n${text}\n`);
  return 1;
}

export function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
