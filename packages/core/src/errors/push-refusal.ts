import { type ShipError, openSettings, shipError } from '@ship/protocol';
import { sanitizeForgeMessage, saying } from './forge-message.ts';

type Remedy = readonly [RegExp, string];

/** Remedies by the forge's message; the first match wins. */
const REMEDIES: readonly Remedy[] = [
  [
    /GH001|large files? detected|file size limit|exceeds? .*(?:limit|maximum)|larger than/i,
    'Remove the large file from the branch’s commits, or track it with Git LFS (`.gitattributes`), then retry.',
  ],
  [
    /push cannot contain secrets|secret scanning|push protection|GH009/i,
    'Remove the secret from the branch’s commits and revoke it, then retry.',
  ],
  [
    /GH007|private email/i,
    'Set a commit email under Settings → General that may be public, or allow it in the email settings of the forge.',
  ],
  [
    /workflow/i,
    'Give the token the right to change workflows (scope `workflow`, or Workflows: write), or leave `.github/workflows` unchanged.',
  ],
  [
    /signature|signed|signing/i,
    'The branch accepts signed commits only: exempt Ship’s branches from that rule at the forge.',
  ],
  [/does not contain|borrowed/i, 'Retry: Ship sends the missing objects again.'],
  [/shallow update/i, 'Retry: Ship fetches the whole history first.'],
  [
    /quota|disk full|no space|unpacker error|out of space/i,
    'The forge has no room for this push: free space there, then retry.',
  ],
  [
    /rule violations|GH013|restricted|naming|pattern/i,
    'Look at the rules of the repository for branch names and pushes. Choose another branch name for this session, or exempt Ship from the rule.',
  ],
  [/hook declined/i, 'A hook of the forge declined the push: do what it says, then retry.'],
];

/** The error for git's `[remote rejected] (reason)`, with the forge's additional output. */
export function pushRefusal(branch: string, reason: string, printed: string): ShipError {
  const forgeMessage = sanitizeForgeMessage(
    printed === '' || reason.includes(printed) ? reason : `${printed} (${reason})`,
  );
  const all = `${reason} ${printed}`;
  if (/directory file conflict|cannot lock ref|exists; cannot create/.test(reason))
    return shipError(
      'branch-taken',
      `The branch ${branch} conflicts with another branch at the forge${saying(forgeMessage)}`,
      'Choose another branch name for this session.',
    );
  if (/currently checked out/.test(reason))
    return shipError(
      'push-refused',
      `The branch ${branch} is checked out in the repository’s own folder, and a push would not update its files.`,
      'Check out another branch there (`git switch -`), then retry.',
    );
  const known = REMEDIES.find(([pattern]) => pattern.test(all))?.[1];
  // Checked last: GitHub also reports its rules about single commits as "protected branch".
  if (/protected branch|GH006/i.test(all) && (known === undefined || /hook declined/i.test(reason)))
    return shipError(
      'push-refused',
      `The branch ${branch} is protected at the forge${saying(forgeMessage)}`,
      'Choose another branch name for this session; its pull request changes the protected branch.',
    );
  return shipError(
    'push-refused',
    `The forge refused the push to ${branch}${saying(forgeMessage)}`,
    known ?? 'Do what the forge says, then retry; the commit is kept.',
  );
}

/** The error when the forge refused the whole request before checking any branch. `status` is git's `error: NNN`. */
export function transferRefusal(status: number, printed: string): ShipError | undefined {
  const forgeMessage = saying(sanitizeForgeMessage(printed));
  if (/archived/i.test(printed))
    return shipError(
      'repository-archived',
      `The forge refuses pushes${forgeMessage}`,
      'Unarchive the repository at the forge, or choose another one.',
    );
  if (status === 403)
    return shipError(
      'push-refused',
      `The forge does not let Ship push to this repository${forgeMessage}`,
      'Give Ship’s token write access to its contents, or let the session work on a fork of it, then retry.',
      openSettings('forges'),
    );
  if (status === 404 || status === 410)
    return shipError(
      'not-found',
      `The forge has no such repository, or hides it from Ship${forgeMessage}`,
      'Check its address, and that the token has access to it; it may have been moved or deleted.',
    );
  if (status === 413)
    return shipError(
      'too-large',
      `The push is too large${forgeMessage}`,
      'Remove large files from the branch’s commits, or track them with Git LFS, then retry.',
    );
  return undefined;
}
