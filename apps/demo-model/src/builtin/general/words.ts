/** What the general script says at the end: always that it is a script, and what a real model would do. Pure. */
import { quote } from './intent.ts';
import type { Mended } from './mend/index.ts';
import type { Change } from './notes.ts';
import type { Survey } from './survey.ts';
import type { Tested } from './testing.ts';

const LABEL = '**Scripted demo model — no language model was involved.**';
const REMEDY =
  'To let a real model do it, add a provider in the settings and choose one of its models.';

export function mendedWords(mended: Mended): string {
  const { fix, failing, attempts, tested } = mended;
  if (fix === null) return '';
  return [
    LABEL,
    '',
    `The test "${failing?.title ?? ''}" failed because of \`${fix.file}\`, line ${fix.line} (${fix.why}):`,
    '',
    '```diff',
    `- ${fix.oldLine}`,
    `+ ${fix.newLine}`,
    '```',
    '',
    `\`${tested.runner.command}\` passes now${bracketed(tested.outcome.summary)}${attempts > 1 ? `; it took ${attempts} attempts` : ''}.`,
    '',
    `I found this by trying small known corrections until the tests passed. A real model would understand the cause and handle any request. ${REMEDY}`,
  ].join('\n');
}

export function notedWords(
  prompt: string,
  change: Change,
  made: boolean,
  tested: Tested | null,
  mended: Mended | null,
): string {
  const what = change.kind === 'create' ? 'created' : 'extended';
  return [
    LABEL,
    '',
    made
      ? `I ${what} \`${change.file}\` with a section on ${change.about}.`
      : `I wanted to write a note to \`${change.file}\`, but the change was refused; nothing was changed.`,
    ...(mended === null
      ? []
      : [
          `The tests fail and I tried ${mended.attempts} small known corrections without success; they are taken back.`,
        ]),
    testWords(tested),
    '',
    `A real model would carry out "${quote(prompt, 120)}": read the code concerned, make the change, add tests and run them. ${REMEDY}`,
  ].join('\n');
}

export function foundWords(prompt: string, seen: Survey, planOnly: boolean): string {
  const places = seen.hits.map((hit) => `- \`${hit.file}:${hit.line}\` ${hit.text}`);
  const tests =
    seen.runner === null ? 'no test runner' : `tests run with \`${seen.runner.command}\``;
  return [
    LABEL,
    '',
    `The repository has ${seen.files.length} files; ${tests}.`,
    ...(places.length > 0 ? ['These places mention what you ask about:', '', ...places] : []),
    ...(planOnly
      ? [
          '',
          'Plan:',
          '1. Read the places above.',
          '2. Make the change with a test.',
          '3. Run the tests.',
        ]
      : []),
    '',
    `A real model would ${planOnly ? 'work out a plan for' : 'answer'} "${quote(prompt, 120)}" from the code. ${REMEDY}`,
  ].join('\n');
}

function testWords(tested: Tested | null): string {
  if (tested === null) return 'I found no tests to run.';
  const { command } = tested.runner;
  switch (tested.outcome.status) {
    case 'passed':
      return `\`${command}\` passes${bracketed(tested.outcome.summary)}.`;
    case 'failed':
      return `\`${command}\` fails${bracketed(tested.outcome.summary)}, as it did before.`;
    case 'unavailable':
      return `\`${command}\` could not be run here.`;
  }
}

function bracketed(text: string): string {
  return text === '' ? '' : ` (${text})`;
}
