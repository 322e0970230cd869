import { missingSubmodules, sessionEvent } from '@ship/core';
import type { SessionEvent } from '@ship/protocol';
import type { Shell } from './shell.ts';
import { RepositoryView } from './view.ts';

/** `.gitmodules` is only read: nothing that it names is fetched or run. */
const NOTES = `git ls-files -s -z | grep -z '^160000 ' | head -c 50000
printf '\\001'
if [ -f .gitmodules ] && [ ! -L .gitmodules ]; then
  git config --file .gitmodules --no-includes -z --get-regexp '^submodule\\..*\\.(path|url)$' | head -c 50000
fi
printf '\\001'
git ls-files -z ':(attr:filter=lfs)' | tr -cd '\\0' | wc -c
exit 0`;

/** What the clone does not have, as an event; none when it has everything. */
export function checkoutNotes(shell: Shell, folder: string): Promise<SessionEvent[]> {
  return RepositoryView.use(shell, folder, async (view) => {
    const [listing = '', config = '', count = ''] = (await view.script(NOTES, [])).stdout.split(
      '\u0001',
    );
    const submodules = missingSubmodules(listing, config);
    const lfsFiles = Number(/\d+/.exec(count)?.[0] ?? 0);
    if (submodules.length === 0 && lfsFiles === 0) return [];
    return [sessionEvent('checkout.noted', { submodules, lfsFiles })];
  });
}
