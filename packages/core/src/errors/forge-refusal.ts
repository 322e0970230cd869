import { type ShipError, openSettings, shipError } from '@ship/protocol';
import { saying } from './forge-message.ts';

/** A forge's refusal: its own message decides the remedy, not the status alone. */
export interface ForgeRefusal {
  status: number;
  /** The forge's message, sanitized by `sanitizeForgeMessage`. */
  words: string;
}

const TOKEN = openSettings('forges');

/** A refusal that means the same for every request; undefined when its meaning depends on the request. */
export function generalRefusal({ status, words }: ForgeRefusal): ShipError | undefined {
  if (status !== 403 && status !== 451) return undefined;
  if (/archived/i.test(words))
    return shipError(
      'repository-archived',
      `The forge refuses changes${saying(words)}`,
      'Unarchive the repository at the forge, or choose another one.',
    );
  if (/rate limit/i.test(words))
    return shipError(
      'rate-limited',
      `The forge limits Ship’s requests${saying(words)}`,
      'No action is needed: Ship retries automatically.',
    );
  if (/\bSAML\b|single sign-on|\bSSO\b/i.test(words))
    return shipError(
      'forbidden',
      `The organization requires single sign-on for this token${saying(words)}`,
      'Authorize the token for the organization at the forge (Configure SSO), then retry.',
      TOKEN,
    );
  if (/IP (?:allow ?list|address)/i.test(words))
    return shipError(
      'forbidden',
      `The organization does not accept requests from this address${saying(words)}`,
      'Add the address of this server to the organization’s allow-list, then retry.',
    );
  return shipError(
    'forbidden',
    `The forge does not allow this with Ship’s token${saying(words)}`,
    'Give the token write access to contents and pull requests of this repository, or choose another token, then retry.',
    TOKEN,
  );
}

export interface PullRequestRefusalInput extends ForgeRefusal {
  branch: string;
  base: string;
  /** The fields that the forge rejected. */
  fields: readonly string[];
}

/** The error for a pull request that was not opened. `isFinal`: another attempt without the draft flag would not help. */
export function pullRequestRefusal({ branch, base, fields, words }: PullRequestRefusalInput): {
  error: ShipError;
  isFinal: boolean;
} {
  const refused = (remedy: string, isFinal = true) => ({
    error: shipError(
      'pull-request-refused',
      `The forge refused a pull request from ${branch} to ${base}${saying(words)}`,
      remedy,
    ),
    isFinal,
  });
  if (fields.includes('base'))
    return {
      error: shipError(
        'base-missing',
        `The forge has no branch ${base} to compare with${saying(words)}`,
        'Choose another base for this session, or restore the branch.',
      ),
      isFinal: true,
    };
  if (fields.includes('head'))
    return refused(
      `The forge has no branch ${branch}: it was deleted. Retry, and Ship pushes it again.`,
    );
  if (/no commits between/i.test(words))
    return refused(`${branch} has no commit that ${base} lacks: there is nothing to propose yet.`);
  if (/history in common|unrelated histor/i.test(words))
    return refused(
      `The two branches have no common history. Choose a base that ${branch} was created from, or start a session on ${base}.`,
    );
  if (/too long/i.test(words)) return refused('Shorten the title or the text, then retry.');
  if (/pull requests? (?:is|are) (?:disabled|not enabled)|has disabled pull requests/i.test(words))
    return refused('Switch pull requests on in the settings of the repository, then retry.');
  return refused(
    'Check the branch and the rules of the repository at the forge, then retry.',
    false,
  );
}

export interface MergeRefusalInput extends ForgeRefusal {
  number: number;
  base: string;
  isDraft: boolean;
  /** GitHub's `mergeable_state`. */
  state: string;
}

const MERGE_REMEDIES: readonly (readonly [RegExp, string])[] = [
  [/draft/i, 'Mark the pull request ready for review, then merge.'],
  [
    /(?:merge commits|squash merges?|rebase merges?|merge method).*not (?:allowed|permitted|enabled)/i,
    'Choose another way to merge: the repository does not allow this one.',
  ],
  [/can(?:'|’|no)t be rebased|rebase.*conflict/i, 'Choose a merge commit or a squash instead.'],
  [/conflict/i, 'Update the branch from the base: the agent resolves the conflict. Then merge.'],
  [
    /head branch was modified|head branch is out of date|expected head sha/i,
    'Look at the newest commits, then merge again.',
  ],
  [/base branch was modified|merge already in progress/i, 'Merge again: the base moved meanwhile.'],
  [/review/i, 'Get the review that the rules of the base require, then merge again.'],
  [
    /status check|checks?\b/i,
    'Wait for the checks that the rules of the base require, then merge again.',
  ],
  [/checked out/i, 'Do in that folder what the forge says, then merge again.'],
  [/already merged|is closed|has all of it/i, 'Nothing is left to merge. Reload the pull request.'],
  [
    /signature|signed/i,
    'The base accepts signed commits only: merge at the forge, which signs the merge.',
  ],
  [
    /deployment|rule|protected|queue|locked/i,
    'Look at the rules of the base at the forge, then merge again.',
  ],
];

export function mergeRefusal({
  status,
  words,
  number,
  base,
  isDraft,
  state,
}: MergeRefusalInput): ShipError {
  const refused = (remedy: string, message = `The forge refused to merge pull request ${number}`) =>
    shipError('not-mergeable', `${message}${saying(words)}`, remedy);
  const known = MERGE_REMEDIES.find(([pattern]) => pattern.test(words))?.[1];
  if (known !== undefined) return refused(known);
  // The forge gave no reason: derive one from the pull request's state.
  if (isDraft) return refused('Mark the pull request ready for review, then merge.');
  if (status === 409)
    return refused(
      'Look at the newest commits, then merge again.',
      'The branch has changed since it was loaded',
    );
  if (state === 'blocked')
    return refused(
      'A review or a check that the rules require is missing: get it at the forge, then merge again.',
      `The rules of ${base} do not allow merging pull request ${number} yet`,
    );
  if (state === 'dirty')
    return refused('Update the branch from the base: the agent resolves the conflict. Then merge.');
  return refused('Open the pull request at the forge: it shows the reason.');
}
