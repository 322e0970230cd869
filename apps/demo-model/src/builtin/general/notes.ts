/** The small change for requests that a script cannot carry out: a note that helps whoever does. Pure. */
import { intentOf, quote } from './intent.ts';
import { scriptsOf } from './runner.ts';
import type { Survey } from './survey.ts';
import type { Tested } from './testing.ts';
import { titleFor } from '../title.ts';

export type Change = { file: string; about: string } & (
  | { kind: 'create'; text: string }
  | { kind: 'append'; before: string; after: string }
);

export function noteFor(prompt: string, seen: Survey, tested: Tested | null): Change {
  const readme = seen.files.find((file) => /^readme(\.(md|markdown))?$/i.test(file));
  const document = intentOf(prompt) === 'document' ? readme : undefined;
  const file = document ?? notesFile(seen);
  const { about, section } =
    document === undefined || /^##? Development\s*$/im.test(seen.texts.get(document) ?? '')
      ? {
          about: 'the request and where the code mentions it',
          section: requestSection(prompt, seen, tested),
        }
      : { about: 'how to work on this project', section: developmentSection(prompt, seen, tested) };
  const text = seen.texts.get(file);
  const anchor = text === undefined || seen.partial.has(file) ? null : lastWords(text);
  if (anchor !== null) {
    return { kind: 'append', file, about, before: anchor, after: `${anchor}\n\n${section}` };
  }
  if (!seen.files.includes(file)) {
    const heading = file === 'README.md' ? `# ${titleFor(prompt)}` : '# Notes';
    return { kind: 'create', file, about, text: `${heading}\n\n${section}\n` };
  }
  // The file is there but cannot be extended safely: it is left alone.
  return { kind: 'create', file: freeName(seen.files), about, text: `# Notes\n\n${section}\n` };
}

function notesFile(seen: Survey): string {
  if (seen.files.length === 0) return 'README.md';
  return seen.files.find((file) => /^notes\.md$/i.test(file)) ?? 'NOTES.md';
}

function freeName(files: string[]): string {
  const taken = new Set(files.map((file) => file.toLowerCase()));
  for (let number = 2; number < 1000; number++) {
    if (!taken.has(`notes-${number}.md`)) return `NOTES-${number}.md`;
  }
  return 'NOTES-DEMO.md';
}

/** The end of a text, as long as it takes to occur only once; null for an empty text. */
function lastWords(text: string): string | null {
  const lines = text.trimEnd().split('\n');
  for (let from = lines.length - 1; from >= 0; from--) {
    const end = lines.slice(from).join('\n');
    if (end.trim() !== '' && text.split(end).length === 2) return end;
  }
  return null;
}

function requestSection(prompt: string, seen: Survey, tested: Tested | null): string {
  const places = seen.hits.map(
    (hit) => `- \`${hit.file}\`, line ${hit.line}: \`${hit.text.replaceAll('`', "'")}\``,
  );
  return [
    `## Request: ${titleFor(prompt)}`,
    '',
    `> ${quote(prompt)}`,
    '',
    '*Written by a scripted demo model: the request itself is still to be done.*',
    '',
    places.length > 0
      ? 'Places in the code that mention it:'
      : 'Nothing in the code mentions it yet.',
    ...(places.length > 0 ? ['', ...places] : []),
    '',
    testLine(tested),
  ].join('\n');
}

function developmentSection(prompt: string, seen: Survey, tested: Tested | null): string {
  const folders = [
    ...new Set(
      seen.files.flatMap((file) => (file.includes('/') ? [file.split('/')[0] ?? ''] : [])),
    ),
  ];
  const scripts = Object.keys(scriptsOf(seen.texts.get('package.json')));
  return [
    '## Development',
    '',
    testLine(tested),
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

function testLine(tested: Tested | null): string {
  if (tested === null) return 'No test runner was found.';
  const { command } = tested.runner;
  switch (tested.outcome.status) {
    case 'passed':
      return `Run the tests with \`${command}\`; they passed when this was written.`;
    case 'failed':
      return `Run the tests with \`${command}\`; some failed when this was written.`;
    case 'unavailable':
      return `The tests would run with \`${command}\`, which could not be started here.`;
  }
}
