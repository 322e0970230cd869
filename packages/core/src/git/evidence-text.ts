import type { Confidence, TestCounts, VerificationRun, VerificationVerdict } from '@ship/protocol';
import { compareRuns } from '../verify/compare.ts';
import { fence, inline } from './markdown.ts';

/** How the work was checked, as far as that is known. */
export interface VerificationFacts {
  before: VerificationRun | null;
  after: VerificationRun;
  /** The end of what it printed after the work. */
  output: string | null;
}

export interface EvidenceFacts {
  /** Null: nothing was run. */
  verification: VerificationFacts | null;
  /** Why nothing was run, where it is not for want of a command. */
  whyNotVerified: string | null;
  confidence: Confidence | null;
  changes: { files: number; additions: number; deletions: number } | null;
  costUsd: number | null;
}

const MAX_NAMES = 20;
const MAX_OUTPUT = 4_000;

const VERDICTS: Record<VerificationVerdict, [mark: string, words: string]> = {
  passed: ['✅', 'passed'],
  failed: ['❌', 'failed'],
  unavailable: ['⚠️', 'could not run here: **not verified**'],
  'timed-out': ['⚠️', 'did not end in time: **not verified**'],
};

/** What was run, what came of it before and after, and what follows from that. Nothing is claimed that was not seen. */
export function evidenceText(facts: EvidenceFacts): string {
  const { verification, confidence } = facts;
  const parts = [
    verification === null ? notVerified(facts) : headline(verification.after),
    table(facts),
    verification === null ? '' : changedTests(verification),
    confidence === null ? '' : confidenceText(confidence),
    verification === null ? '' : outputText(verification),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

function notVerified({ whyNotVerified }: EvidenceFacts): string {
  return `Not verified: ${whyNotVerified ?? 'no command is known for this repository.'}`;
}

function headline({ command, verdict }: VerificationRun): string {
  const [mark, words] = VERDICTS[verdict];
  return `${mark} \`${inline(command).slice(0, 500)}\` ${words}`;
}

function table({ verification, changes, costUsd }: EvidenceFacts): string {
  const rows: [string, string, string][] = [];
  if (verification !== null) {
    const { before, after } = verification;
    const row = (name: string, show: (run: VerificationRun) => string) =>
      rows.push([name, before === null ? '–' : show(before), show(after)]);
    row('result', ({ verdict }) => (verdict === 'unavailable' ? 'could not run' : verdict));
    row('exit code', ({ exitCode }) => String(exitCode ?? '–'));
    row('tests', ({ counts }) => (counts === null ? '–' : countsText(counts)));
    row('duration', ({ durationMs }) => `${(durationMs / 1000).toFixed(1)} s`);
  }
  if (changes !== null) {
    const { files, additions, deletions } = changes;
    rows.push([
      'changed',
      '',
      `${files} file${files === 1 ? '' : 's'}, +${additions} −${deletions}`,
    ]);
  }
  if (costUsd !== null && rows.length > 0) rows.push(['cost', '', `$${costUsd.toFixed(2)}`]);
  if (rows.length === 0) return '';
  const lines = rows.map(([name, before, after]) => `| ${name} | ${before} | ${after} |`);
  return ['| | before | after |', '|---|---|---|', ...lines].join('\n');
}

export function countsText({ passed, failed, skipped }: TestCounts): string {
  const said = [
    `${passed} passed`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ];
  return said.join(', ');
}

function changedTests({ before, after }: VerificationFacts): string {
  const comparison = compareRuns(before, after);
  if (comparison === null) return named('Failing', after.failing);
  const { fixed, broken, stillFailing, moreTests } = comparison;
  const isFewer = moreTests !== null && moreTests < 0;
  return [
    named('Failing → passing', fixed),
    named('Newly failing', broken),
    named('Failing as before', stillFailing),
    isFewer ? `- ⚠️ ${-moreTests} fewer tests than before` : '',
  ]
    .filter((line) => line !== '')
    .join('\n');
}

function named(what: string, names: readonly string[]): string {
  if (names.length === 0) return '';
  const shown = names.slice(0, MAX_NAMES).map((name) => `\`${inline(name)}\``);
  const rest = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
  return `- ${what}: ${shown.join(', ')}${rest}`;
}

function confidenceText({ score, parts }: Confidence): string {
  const lines = parts.map(
    ({ name, weight, value, text }) =>
      `| ${name} | ${Math.round(weight * value)} of ${weight} | ${text} |`,
  );
  return [
    `<details><summary>Confidence ${score} of 100</summary>`,
    '',
    '| part | points | why |',
    '|---|---|---|',
    ...lines,
    '',
    '</details>',
  ].join('\n');
}

/** A run that passed needs no proof that anybody reads. */
function outputText({ after, output }: VerificationFacts): string {
  if (after.verdict === 'passed' || output === null || output.trim() === '') return '';
  return fence(output.slice(-MAX_OUTPUT));
}
