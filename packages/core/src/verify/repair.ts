import type { GitState, VerificationRun } from '@ship/protocol';
import { fence, inline } from '../git/markdown.ts';
import { compareRuns } from './compare.ts';
import { CONFLICT_OPENING, REPAIR_OPENING } from './rounds.ts';

const MAX_NAMES = 20;

/** The prompt to the agent when the command fails after its work. */
export function repairText(
  before: VerificationRun | null,
  after: VerificationRun,
  output: string,
): string {
  const broken = compareRuns(before, after)?.broken ?? after.failing;
  const names = broken.slice(0, MAX_NAMES).map((name) => `- \`${inline(name)}\``);
  return [
    `${REPAIR_OPENING}${inline(after.command)}\` reports. It was run after your change and ended with exit code ${after.exitCode ?? 'unknown'}.`,
    ...(names.length === 0 ? [] : [`These fail now:\n${names.join('\n')}`]),
    `The end of its output:\n${fence(output)}`,
    'Find the cause and correct it, then run the command yourself. Do not remove or weaken a test to make it pass. If a failure has nothing to do with your change, leave it and say so.',
  ].join('\n\n');
}

type ConflictFacts = Pick<NonNullable<GitState['conflict']>, 'ref' | 'files' | 'unrelated'>;

/** The prompt to the agent when its branch and newer commits changed the same lines. */
export function conflictText({ ref, files, unrelated = false }: ConflictFacts): string {
  const names = files.map((file) => `\`${file}\``).join(', ');
  // Without this option, git refuses to merge two histories without a common commit.
  const command = `git merge ${unrelated ? '--allow-unrelated-histories ' : ''}${ref}`;
  return `${CONFLICT_OPENING} Merge \`${ref}\` into the current branch (\`${command}\`), resolve the conflicts in ${names} so that both intentions are kept, run the tests, and commit the merge.`;
}
