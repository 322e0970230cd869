import { pushRefusal, remoteMessage, transferRefusal } from '@ship/core';
import { fail, ShipFailure } from '@ship/protocol';
import type { CommandOutcome } from '../../sandbox/port.ts';
import { failed, lastWords } from './shell.ts';
import type { RepositoryView } from './view.ts';

export const PUSH_TIMEOUT_MS = 600_000;
export const PUSH = ['push', '--porcelain', '--no-verify', '--no-signed'] as const;

export type PushOutcome = 'pushed' | 'moved';

/** For a ref with a single writer. */
export const ANYTHING = Symbol('anything');
type Expected = string | null | typeof ANYTHING;

/**
 * Pushes one commit to one ref, if that ref still has the expected value: `expected` is null when it must not exist yet.
 * Returns `moved` when another writer was faster. A checkpoint has one writer: its previous value does not matter.
 */
export async function pushCommit(
  view: RepositoryView,
  remote: string,
  sha: string,
  ref: string,
  expected: Expected,
): Promise<PushOutcome> {
  const argv = [...PUSH, leaseOf(ref, expected), remote, `${sha}:${ref}`];
  return pushOutcome(ref, await view.git(argv, { timeoutMs: PUSH_TIMEOUT_MS }));
}

export function leaseOf(ref: string, expected: Expected): string {
  return expected === ANYTHING ? '--force' : `--force-with-lease=${ref}:${expected ?? ''}`;
}

/** Maps the output of git's push to an outcome or an error. */
export function pushOutcome(ref: string, outcome: CommandOutcome): PushOutcome {
  if (outcome.exitCode === 0) return 'pushed';
  const line = outcome.stdout.split('\n').find((one) => one.startsWith('!\t')) ?? '';
  if (/\[rejected\] \(stale info\)|\(fetch first\)|\(non-fast-forward\)/.test(line)) return 'moved';
  const reason = /\[remote rejected\] \((.*)\)$/.exec(line)?.[1];
  const printed = remoteMessage(outcome.stderr);
  if (reason !== undefined)
    throw new ShipFailure(pushRefusal(ref.replace('refs/heads/', ''), reason, printed));
  const status = Number(/\berror: (\d{3})\b/.exec(outcome.stderr)?.[1] ?? 0);
  const refusal = transferRefusal(status, printed);
  if (refusal !== undefined) throw new ShipFailure(refusal);
  if (
    [408, 429, 502, 503, 504].includes(status) ||
    /Could not resolve|Connection (refused|reset)|Failed to connect|early EOF/.test(outcome.stderr)
  )
    fail(
      'unavailable',
      `The push did not get through: ${lastWords(outcome)}`,
      'Ship tries again automatically.',
    );
  return failed('push', outcome);
}
