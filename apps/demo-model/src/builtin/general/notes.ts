/** For requests that a script cannot carry out: a note that helps the next developer. Pure. */
import { intentOf, quote } from './intent.ts';
import { scriptsOf } from './runner.ts';
import type { ProjectInfo } from './inspect-project.ts';
import type { TestRun } from './run-tests.ts';
import { titleFor } from '../title.ts';

export type Change = { file: string; about: string } & (
  | { kind: 'create'; text: string }
  | { kind: 'append'; before: string; after: string }
);

export function noteFor(prompt: string, project: ProjectInfo, testRun: TestRun | null): Change {
  const readme = project.files.find((file) => /^readme(\.(md|markdown))?$/i.test(file));
  const document = intentOf(prompt) === 'document' ? readme : undefined;
  const file = document ?? notesFile(project);
  const { about, section } =
    document === undefined || /^##? Development\s*$/im.test(project.texts.get(document) ?? '')
      ? {
          about: 'the request and where the code mentions it',
          section: requestSection(prompt, project, testRun),
        }
      : {
          about: 'how to work on this project',
          section: developmentSection(prompt, project, testRun),
        };
  const text = project.texts.get(file);
  const anchor = text === undefined || project.partial.has(file) ? null : uniqueEnding(text);
  if (anchor !== null) {
    return { kind: 'append', file, about, before: anchor, after: `${anchor}\n\n${section}` };
  }
  if (!project.files.includes(file)) {
    const heading = file === 'README.md' ? `# ${titleFor(prompt)}` : '# Notes';
    return { kind: 'create', file, about, text: `${heading}\n\n${section}\n` };
  }
  // The file exists but cannot be extended safely: write another one.
  return {
    kind: 'create',
    file: unusedName(project.files),
    about,
    text: `# Notes\n\n${section}\n`,
  };
}

function notesFile(project: ProjectInfo): string {
  if (project.files.length === 0) return 'README.md';
  return project.files.find((file) => /^notes\.md$/i.test(file)) ?? 'NOTES.md';
}

function unusedName(files: string[]): string {
  const taken = new Set(files.map((file) => file.toLowerCase()));
  for (let number = 2; number < 1000; number++) {
    if (!taken.has(`notes-${number}.md`)) return `NOTES-${number}.md`;
  }
  return 'NOTES-DEMO.md';
}

/** The shortest ending of a text that occurs only once; null for an empty text. */
function uniqueEnding(text: string): string | null {
  const lines = text.trimEnd().split('\n');
  for (let from = lines.length - 1; from >= 0; from--) {
    const end = lines.slice(from).join('\n');
    if (end.trim() !== '' && text.split(end).length === 2) return end;
  }
  return null;
}

function requestSection(prompt: string, project: ProjectInfo, testRun: TestRun | null): string {
  const mentions = project.hits.map(
    (hit) => `- \`${hit.file}\`, line ${hit.line}: \`${hit.text.replaceAll('`', "'")}\``,
  );
  return [
    `## Request: ${titleFor(prompt)}`,
    '',
    `> ${quote(prompt)}`,
    '',
    '*Written by a scripted demo model: the request itself is still open.*',
    '',
    mentions.length > 0 ? 'The code mentions it here:' : 'Nothing in the code mentions it yet.',
    ...(mentions.length > 0 ? ['', ...mentions] : []),
    '',
    testLine(testRun),
  ].join('\n');
}

function developmentSection(prompt: string, project: ProjectInfo, testRun: TestRun | null): string {
  const folders = [
    ...new Set(
      project.files.flatMap((file) => (file.includes('/') ? [file.split('/')[0] ?? ''] : [])),
    ),
  ];
  const scripts = Object.keys(scriptsOf(project.texts.get('package.json')));
  return [
    '## Development',
    '',
    testLine(testRun),
    ...(scripts.length > 0
      ? ['', `Scripts: ${scripts.map((name) => `\`npm run ${name}\``).join(', ')}.`]
      : []),
    ...(folders.length > 0
      ? ['', 'Folders:', '', ...folders.slice(0, 8).map((name) => `- \`${name}/\``)]
      : []),
    '',
    `*Added by a scripted demo model for the request "${quote(prompt, 120)}".*`,
  ].join('\n');
}

function testLine(testRun: TestRun | null): string {
  if (testRun === null) return 'No test runner was found.';
  const { command } = testRun.runner;
  switch (testRun.outcome.status) {
    case 'passed':
      return `Run the tests with \`${command}\`; they passed when this was written.`;
    case 'failed':
      return `Run the tests with \`${command}\`; some failed when this was written.`;
    case 'unavailable':
      return `The tests would run with \`${command}\`, which could not be started here.`;
  }
}
