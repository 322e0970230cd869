import { fail } from '@ship/protocol';
import type { CommandOutcome } from '../../sandbox/port.ts';
import { failed, words } from './shell.ts';
import type { RepositoryView } from './view.ts';

export const PUSH_TIMEOUT_MS = 600_000;
export const PUSH = ['push', '--porcelain', '--no-verify', '--no-signed'] as const;

export type PushOutcome = 'pushed' | 'moved';

/** For a ref that is nobody else's. */
export const ANYTHING = Symbol('anything');
type Expected = string | null | typeof ANYTHING;

/**
 * Pushes one commit to one ref, if that ref is still what we think: `expected` is null when it must not exist yet. `moved`
 * when somebody was faster. A saved state is nobody else's: there it does not matter what was before.
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

/** What git's push said, in our words. */
export function pushOutcome(ref: string, outcome: CommandOutcome): PushOutcome {
  if (outcome.exitCode === 0) return 'pushed';
  const line = outcome.stdout.split('\n').find((one) => one.startsWith('!\t')) ?? '';
  if (/\[rejected\] \(stale info\)|\(fetch first\)|\(non-fast-forward\)/.test(line)) return 'moved';
  const reason = /\[remote rejected\] \((.*)\)$/.exec(line)?.[1];
  if (reason !== undefined) refused(ref, reason);
  const said = words(outcome);
  if (/error: 403|does not allow this/.test(outcome.stderr))
    fail(
      'push-refused',
      'The forge does not let Ship push to this repository.',
      'Give Ship’s token write access to its contents, or let the session work on a fork of it, then retry.',
    );
  if (
    /error: (408|429|502|503|504)|Could not resolve|Connection (refused|reset)|Failed to connect|early EOF/.test(
      outcome.stderr,
    )
  )
    fail('unavailable', `The push did not get through: ${said}`, 'It is tried again by itself.');
  return failed('push', outcome);
}

function refused(ref: string, said: string): never {
  const branch = ref.replace('refs/heads/', '');
  const reason = said.replaceAll(/[^\x20-\x7e]/g, ' ').slice(0, 200);
  if (/directory file conflict|cannot lock ref|exists; cannot create/.test(reason))
    fail(
      'branch-taken',
      `The branch ${branch} cannot exist beside another of the forge: ${reason}`,
      'Choose another branch name for this session.',
    );
  if (/protected branch|GH006|GH013|rule violations/i.test(reason))
    fail(
      'push-refused',
      `The branch ${branch} is protected at the forge: nobody pushes to it directly.`,
      'Choose another branch name for this session; it goes into the protected one by its pull request.',
    );
  if (/currently checked out/.test(reason))
    fail(
      'push-refused',
      `The branch ${branch} is checked out in the repository’s own folder, and a push would pull the files from under it.`,
      'Check out another branch there (`git switch -`), then retry.',
    );
  fail(
    'push-refused',
    `The forge refused the push to ${branch}: ${reason}`,
    'Look at the rules of the repository: protected branches, file sizes, required signatures.',
  );
}
