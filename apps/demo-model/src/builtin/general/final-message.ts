/** The final message of the general script: always says that it is a script, and what a real model would do. Pure. */
import { quote } from './intent.ts';
import type { FixAttempt } from './fix/index.ts';
import type { Change } from './notes.ts';
import type { ProjectInfo } from './inspect-project.ts';
import type { TestRun } from './run-tests.ts';

const LABEL = '**Scripted demo model — no language model was involved.**';
const REMEDY = 'To use a real model, add a provider in the settings and choose one of its models.';

export function fixedMessage(fixAttempt: FixAttempt): string {
  const { fix, failing, attempts, testRun } = fixAttempt;
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
    `\`${testRun.runner.command}\` passes now${inParentheses(testRun.outcome.summary)}${attempts > 1 ? `; it took ${attempts} attempts` : ''}.`,
    '',
    `I found this by trying small, well-known fixes until the tests passed. A real model would understand the cause and handle any request. ${REMEDY}`,
  ].join('\n');
}

export function noteMessage(
  prompt: string,
  change: Change,
  applied: boolean,
  testRun: TestRun | null,
  fixAttempt: FixAttempt | null,
): string {
  const what = change.kind === 'create' ? 'created' : 'extended';
  return [
    LABEL,
    '',
    applied
      ? `I ${what} \`${change.file}\` with a section on ${change.about}.`
      : `I wanted to write a note to \`${change.file}\`, but the change was refused; nothing was changed.`,
    ...(fixAttempt === null
      ? []
      : [
          `The tests fail. I tried ${fixAttempt.attempts} small, well-known fixes without success and reverted them.`,
        ]),
    testSentence(testRun),
    '',
    `A real model would carry out "${quote(prompt, 120)}": read the code concerned, make the change, add tests and run them. ${REMEDY}`,
  ].join('\n');
}

export function findingsMessage(prompt: string, project: ProjectInfo, planOnly: boolean): string {
  const mentions = project.hits.map((hit) => `- \`${hit.file}:${hit.line}\` ${hit.text}`);
  const tests =
    project.runner === null ? 'no test runner' : `tests run with \`${project.runner.command}\``;
  return [
    LABEL,
    '',
    `The repository has ${project.files.length} files; ${tests}.`,
    ...(mentions.length > 0 ? ['These lines mention your request:', '', ...mentions] : []),
    ...(planOnly
      ? [
          '',
          'Plan:',
          '1. Read the lines above.',
          '2. Make the change with a test.',
          '3. Run the tests.',
        ]
      : []),
    '',
    `A real model would ${planOnly ? 'work out a plan for' : 'answer'} "${quote(prompt, 120)}" from the code. ${REMEDY}`,
  ].join('\n');
}

function testSentence(testRun: TestRun | null): string {
  if (testRun === null) return 'I found no tests to run.';
  const { command } = testRun.runner;
  switch (testRun.outcome.status) {
    case 'passed':
      return `\`${command}\` passes${inParentheses(testRun.outcome.summary)}.`;
    case 'failed':
      return `\`${command}\` fails${inParentheses(testRun.outcome.summary)}, as it did before.`;
    case 'unavailable':
      return `\`${command}\` could not be run here.`;
  }
}

function inParentheses(text: string): string {
  return text === '' ? '' : ` (${text})`;
}
