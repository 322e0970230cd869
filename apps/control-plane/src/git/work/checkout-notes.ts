import { sessionEvent } from '@ship/core';
import type { SessionEvent } from '@ship/protocol';
import { type SubmoduleAccess, initializeSubmodules } from '../submodules.ts';
import type { Shell } from './shell.ts';
import { RepositoryView } from './view.ts';

const COUNT_LFS = `git ls-files -z ':(attr:filter=lfs)' | tr -cd '\\0' | wc -c`;

/**
 * Completes a fresh clone: checks out accessible submodules. Records what the checkout has beyond an ordinary one and what it
 * lacks; no event when there is nothing to report.
 */
export async function completeCheckout(
  shell: Shell,
  folder: string,
  access: SubmoduleAccess | undefined,
): Promise<SessionEvent[]> {
  const { missing, initialized } = await initializeSubmodules(shell, folder, access);
  const counted = await RepositoryView.use(shell, folder, (view) => view.script(COUNT_LFS, []));
  const lfsFiles = Number(/\d+/.exec(counted.stdout)?.[0] ?? 0);
  if (missing.length === 0 && initialized.length === 0 && lfsFiles === 0) return [];
  return [
    sessionEvent('checkout.noted', {
      submodules: missing,
      ...(initialized.length > 0 && { initialized }),
      lfsFiles,
    }),
  ];
}
