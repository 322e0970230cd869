import type {
  Confidence,
  NewTests,
  TestCounts,
  VerificationRun,
  VerificationVerdict,
} from '@ship/protocol';
import { compareRuns } from '../verify/compare.ts';
import { fence, inline, neutral } from './markdown.ts';

/** The verification runs before and after the work. */
export interface VerificationFacts {
  before: VerificationRun | null;
  after: VerificationRun;
  /** The end of the output of the run after the work. */
  output: string | null;
}

interface ChangeFacts {
  files: number;
  additions: number;
  deletions: number;
  /** The changed files, truncated when there are very many. */
  list?: readonly { path: string; additions: number | null; deletions: number | null }[];
}

export interface EvidenceFacts {
  /** Null when nothing was run. */
  verification: VerificationFacts | null;
  /** Why there is no test result, when there is none. */
  whyNotVerified: string | null;
  confidence: Confidence | null;
  changes: ChangeFacts | null;
  newTests?: NewTests | null;
  /** The newest commit of the branch: evidence for another one is stale. */
  headSha?: string | null;
  costUsd: number | null;
  /** The session with all outputs. */
  sessionUrl: string | null;
}

const MAX_NAMES = 20;
const MAX_FILES = 25;
const MAX_OUTPUT = 4_000;

const VERDICTS: Record<VerificationVerdict, [mark: string, words: string]> = {
  passed: ['✅', 'passed'],
  failed: ['❌', 'failed'],
  unavailable: ['⚠️', 'could not run here: **not verified**'],
  'timed-out': ['⚠️', 'did not end in time: **not verified**'],
};

/** Markdown with the runs before and after the work, and the conclusion. It claims nothing that was not observed. */
export function evidenceText(facts: EvidenceFacts): string {
  const { verification, confidence } = facts;
  const parts = [
    verification === null ? '' : headline(verification.after),
    staleText(facts),
    notVerified(facts),
    table(facts),
    verification === null ? '' : changedTests(verification),
    newTestsText(facts.newTests ?? null),
    confidence === null ? '' : confidenceText(confidence),
    verification === null ? '' : outputText(verification),
    filesText(facts.changes),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

function notVerified({ whyNotVerified, verification }: EvidenceFacts): string {
  if (whyNotVerified === null && verification !== null) return '';
  const reason = whyNotVerified ?? 'No test command is known for this repository.';
  return `**Not verified.** ${reason} There is no confidence score without a test.`;
}

function headline({ command, verdict, reason, commit }: VerificationRun): string {
  const [mark, words] = VERDICTS[verdict];
  if (verdict === 'unavailable') {
    const why = reason === undefined ? '' : `: ${neutral(reason)}`;
    return `${mark} \`${inline(command).slice(0, 500)}\` ${words}${why}`;
  }
  const where = commit === undefined || commit === null ? '' : ` on \`${commit.slice(0, 9)}\``;
  return `${mark} \`${inline(command).slice(0, 500)}\` ${words}${where}`;
}

/** Whether the evidence is for another commit than the newest. */
export function isStale(
  run: Pick<VerificationRun, 'commit'> | null,
  headSha: string | null | undefined,
): boolean {
  const commit = run?.commit ?? null;
  return commit !== null && headSha !== null && headSha !== undefined && commit !== headSha;
}

function staleText({ verification, headSha }: EvidenceFacts): string {
  if (verification === null || !isStale(verification.after, headSha)) return '';
  return `⚠️ **Stale:** the branch is at \`${headSha?.slice(0, 9) ?? ''}\` now, and the tests have not run there yet.`;
}

function table({ verification, changes, costUsd }: EvidenceFacts): string {
  const rows: [string, string, string][] = [];
  if (verification !== null) {
    const { before, after } = verification;
    const row = (name: string, show: (run: VerificationRun) => string) =>
      rows.push([name, before === null ? '–' : show(before), show(after)]);
    const hasCommits = Boolean(before?.commit ?? after.commit);
    if (hasCommits) row('commit', ({ commit }) => (commit ? `\`${commit.slice(0, 9)}\`` : '–'));
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
  const parts = [
    `${passed} passed`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ];
  return parts.join(', ');
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

function newTestsText(tests: NewTests | null): string {
  if (tests === null || tests.files.length === 0) return '';
  const { files, names } = tests;
  return [
    named('New or changed tests', names.length > 0 ? names : files),
    ...withoutChangeLines(tests),
  ].join('\n');
}

function withoutChangeLines({ names, withoutChange, failingWithoutChange }: NewTests): string[] {
  if (withoutChange === 'unknown')
    return ['- Whether they fail without this change is unknown: they could not run on the base.'];
  if (withoutChange === 'pass')
    return ['- ⚠️ They also **pass on the base without this change**, so they do not prove it.'];
  // A runner may prefix test names with suite names.
  const isFailing = (name: string) => failingWithoutChange.some((one) => one.includes(name));
  const needless = names.filter((name) => !isFailing(name));
  if (
    failingWithoutChange.length === 0 ||
    needless.length === 0 ||
    needless.length === names.length
  )
    return ['- ✅ They **fail on the base without this change**, so they test it.'];
  const needed = names.length - needless.length;
  return [
    `- ✅ ${needed} of ${names.length} **fail on the base without this change**.`,
    named('⚠️ Pass there too', needless),
  ];
}

function named(what: string, names: readonly string[]): string {
  if (names.length === 0) return '';
  const shown = names.slice(0, MAX_NAMES).map((name) => `\`${inline(name)}\``);
  const rest = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
  return `- ${what}: ${shown.join(', ')}${rest}`;
}

function filesText(changes: ChangeFacts | null): string {
  const list = changes?.list ?? [];
  if (changes === null || list.length === 0) return '';
  const lines = list.slice(0, MAX_FILES).map(({ path, additions, deletions }) => {
    const size =
      additions === null || deletions === null ? 'binary' : `+${additions} −${deletions}`;
    return `- \`${inline(path)}\` ${size}`;
  });
  const more = changes.files - Math.min(list.length, MAX_FILES);
  return [
    `<details><summary>Changed files (${changes.files})</summary>`,
    '',
    ...lines,
    ...(more > 0 ? [`- and ${more} more`] : []),
    '',
    '</details>',
  ].join('\n');
}

function confidenceText({ score, parts }: Confidence): string {
  const lines = parts.map(
    ({ name, weight, value, text }) =>
      `| ${name} | ${Math.round(10 * weight * value) / 10} of ${weight} | ${text} |`,
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

/** The output of a failed run; that of a passed one is left out. */
function outputText({ after, output }: VerificationFacts): string {
  if (after.verdict === 'passed' || output === null || output.trim() === '') return '';
  return fence(output.slice(-MAX_OUTPUT));
}
