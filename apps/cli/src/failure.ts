import { ShipFailure } from '@ship/protocol/errors';
import type { CommanderError } from 'commander';
import { actionLines } from './action-lines.ts';

/** A failure that the user can fix: shown as two lines, never with a stack trace. */
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

/** A server's error with the URL of its web app; null when that server ends with the command. */
export class ServerRefusal extends ShipFailure {
  readonly pageUrl: string | null;

  constructor(error: ShipFailure['error'], pageUrl: string | null) {
    super(error);
    this.pageUrl = pageUrl;
  }
}

/** Prints the error and returns the exit code; with --json the last line of stdout contains it too. */
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
  process.stderr.write(`ship: this is a bug in Ship, report it with this output\n${text}\n`);
  return 1;
}

const USAGE_EXIT_CODE = 2;

/** Handles a usage error, whose message commander has printed already; help and version are not errors. */
export function reportUsage({ exitCode, message }: CommanderError, json: boolean): number {
  if (exitCode === 0) return 0;
  if (json) {
    const details = {
      message: message.replace(/^error: /, ''),
      remedy: 'ship --help lists all commands.',
    };
    process.stdout.write(`${JSON.stringify({ error: details })}\n`);
  }
  return USAGE_EXIT_CODE;
}

function fromServer(failure: ShipFailure): Failure {
  const { error } = failure;
  const pageUrl = failure instanceof ServerRefusal ? failure.pageUrl : null;
  return new Failure(error.message, [error.remedy, ...actionLines(error, pageUrl)].join('\n'));
}

export function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
