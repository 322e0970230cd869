import { failed } from './shell.ts';
import type { RepositoryView } from './view.ts';

const TRANSFER_TIMEOUT_MS = 600_000;

/** Fetches one commit by its ref and stores it under a name inside the sandbox. */
export async function fetchRef(
  view: RepositoryView,
  remote: string,
  ref: string,
  keepAs: string,
): Promise<void> {
  const argv = [
    'fetch',
    '--quiet',
    '--no-tags',
    '--no-write-fetch-head',
    remote,
    `+${ref}:${keepAs}`,
  ];
  const outcome = await view.git(argv, { timeoutMs: TRANSFER_TIMEOUT_MS });
  if (outcome.exitCode !== 0) failed('fetch from the forge', outcome);
}

/**
 * A shallow clone does not have the merge base, and a merge would treat the branches as unrelated. Fetches some history first,
 * and all of it when that is not enough.
 */
export async function completeHistory(
  view: RepositoryView,
  remote: string,
  a: string,
  b: string,
): Promise<void> {
  for (const depth of ['--deepen=200', '--unshallow']) {
    if ((await view.text(['rev-parse', '--is-shallow-repository'])) !== 'true') return;
    if ((await view.git(['merge-base', a, b])).exitCode === 0) return;
    const heads = await view.text([
      'for-each-ref',
      '--format=%(refname:lstrip=3)',
      'refs/remotes/origin/',
    ]);
    const specs = heads
      .split('\n')
      .filter((name) => name !== '' && name !== 'HEAD')
      .map((name) => `+refs/heads/${name}:refs/remotes/origin/${name}`);
    const argv = [
      'fetch',
      '--quiet',
      '--no-tags',
      '--no-write-fetch-head',
      depth,
      remote,
      ...specs,
    ];
    const outcome = await view.git(argv, { timeoutMs: TRANSFER_TIMEOUT_MS });
    if (outcome.exitCode !== 0) failed('fetch the history', outcome);
  }
}
