/**
 * Finds archaic and invented words that readers of this field do not expect; docs/glossary.md has the terms to use
 * instead. Checks comments, strings and the text of components, not identifiers.
 * Usage: sh scripts/run check scripts/vocabulary.ts [PATH…]: without paths, the folders that are clean already.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Prose, proseOf } from './prose.ts';
import { ROOT } from './steps.ts';

interface SourceFile {
  file: string;
  text: string;
}

interface Use {
  file: string;
  line: number;
  /** Names the marker, as in `ALLOWED`. */
  word: string;
  text: string;
}

interface Allowance {
  file: RegExp;
  word: string;
  reason: string;
}

/** Folders and files without a marker. Add the next one once the check finds nothing in it. */
export const CLEAN: readonly string[] = [
  '.github/',
  'AGENTS.md',
  'CHANGELOG.md',
  'CODE_OF_CONDUCT.md',
  'CONTRIBUTING.md',
  'README.md',
  'SECURITY.md',
  'apps/cli/',
  'apps/control-plane/',
  'apps/demo-model/',
  'apps/forge/',
  'apps/sandbox-server/',
  'apps/web/',
  'bench/',
  'docs/',
  'e2e/',
  'packages/core/',
  'packages/protocol/',
  'scripts/',
];

const GENERATED = new Set(['docs/api.md', 'docs/benchmarks.md', 'docs/walkthrough.md']);

export const ALLOWED: readonly Allowance[] = [
  { file: /^scripts\/vocabulary(\.test)?\.ts$/, word: '*', reason: 'the list itself' },
  { file: /^docs\/glossary\.md$/, word: 'door', reason: 'the column of words to avoid' },
  { file: /^docs\/glossary\.md$/, word: 'purse', reason: 'the column of words to avoid' },
  {
    file: /^apps\/control-plane\/src\/workspace\/drizzle\/migrations\.gen\.ts$/,
    word: 'of its own',
    reason: 'stored SQL of older versions',
  },
  {
    file: /^packages\/core\/src\/verify\/rounds\.ts$/,
    word: 'somebody',
    reason: 'stored prompts begin like this',
  },
  {
    file: /^apps\/sandbox-server\/src\/isolation\/bubblewrap\/(?:data-owner(?:\.test)?|identity)\.ts$/,
    word: 'nobody',
    reason: 'the user with the overflow id',
  },
  { file: /^bench\/(?:main|git\/part)\.ts$/, word: 'bench', reason: 'the name of the npm script' },
  {
    file: /^e2e\/screenshots\/(?:pane-scenes|repositories)\.ts$/,
    word: 'shelf',
    reason: 'a product of the sample shop',
  },
  {
    file: /^e2e\/screenshots\/repositories\.ts$/,
    word: 'desk',
    reason: 'a product of the sample shop',
  },
];

/** `_` stands for the space between two words, which may be a line break of a comment. */
const MARKERS: readonly [word: string, pattern: string][] = [
  ...['nobody', 'somebody', 'anybody', 'whoever', 'whomever', 'whatever'].map(same),
  ...['anew', 'hence', 'lest', 'thereupon', 'to_be_had', 'of_its_own', 'of_ours'].map(same),
  ['for ever', 'for_ever'],
  ['mend', 'mend(?:s|ed|ing)?'],
  ['overrule', 'overrul(?:e[ds]?|ing)'],
  ['by itself', 'by_(?:itself|themselves)'],
  ['is told', '(?:is|are)_told'],
  ['is asked', '(?:is|are)_asked'],
  ['foresee', 'fores(?:ee|ees|een|aw|eeing)'],
  ['heed', 'heed(?:s|ed|ing)?'],
  ['desk', 'desks?'],
  ['purse', 'purses?'],
  ['bench', '(?<!run_)bench(?:es)?(?![/-])'],
  ['plant', 'plant(?:s|ed|ing)?'],
  ['shelf', 'shel(?:f|ves)'],
  ['letter', 'letters?_(?:of|in|from)_the_outbox'],
  ['door', 'doors?'],
];

function same(pattern: string): [string, string] {
  return [pattern.replaceAll('_', ' '), pattern];
}

const LINE_BREAK = String.raw`(?:\r?\n[ \t]*(?:\*|//)?[ \t]*)`;
/** Between two words: spaces, and in a block comment the star at the beginning of the next line. */
const GAP = String.raw`(?:[ \t]+${LINE_BREAK}?|${LINE_BREAK})`;

const compiled = MARKERS.map(
  ([word, pattern]) =>
    [
      word,
      new RegExp(String.raw`(?<![\w-])(?:${pattern.replaceAll('_', GAP)})(?![\w-]|\.\w)`, 'gi'),
    ] as const,
);

/** A statement, which ends with a full stop; questions and headings may open like this. */
const OPENING =
  /[*_]*\b(?<=(?:^|\n)[\s*/>|-]{0,20}[*_]{0,2}|[.!:]["'”’)]?[*_\s/]{1,20})(?:What|Who|Whoever|Whatever)\b(?:[^.?!|\n]|[.?!](?=\S)|\n(?!\s*\n))*\.(?=[\s*_)"'”’]|$)/g;

export function findMarkers(file: string, source: string): Use[] {
  return proseOf(file, source).flatMap((prose) => usesIn(file, prose));
}

function usesIn(file: string, { text, line }: Prose): Use[] {
  const found: { index: number; use: Use }[] = [];
  const add = (word: string, match: RegExpExecArray) => {
    const use = {
      file,
      line: line + (text.slice(0, match.index).match(/\n/g)?.length ?? 0),
      word,
      text: match[0]
        .replaceAll(/[\s*/]+/g, ' ')
        .trim()
        .slice(0, 40),
    };
    found.push({ index: match.index, use });
  };
  for (const [word, pattern] of compiled)
    for (const match of text.matchAll(pattern)) add(word, match);
  for (const match of text.matchAll(OPENING)) add('opening', match);
  return found.sort((a, b) => a.index - b.index).map(({ use }) => use);
}

const isIn = (paths: readonly string[], file: string): boolean =>
  paths.some((path) => file.startsWith(path));

const allows = ({ file, word }: Allowance, use: Use): boolean =>
  file.test(use.file) && (word === '*' || word === use.word);

export function uncleanUses(
  files: readonly SourceFile[],
  paths: readonly string[],
  allowed: readonly Allowance[],
): Use[] {
  return files
    .filter(({ file }) => isIn(paths, file))
    .flatMap(({ file, text }) => findMarkers(file, text))
    .filter((use) => !allowed.some((allowance) => allows(allowance, use)));
}

export function unusedAllowances(
  files: readonly SourceFile[],
  paths: readonly string[],
  allowed: readonly Allowance[],
): Allowance[] {
  const uses = uncleanUses(files, paths, []);
  return allowed.filter((allowance) => !uses.some((use) => allows(allowance, use)));
}

/** By globs instead of git: a copy of the folder may belong to another user, where git refuses to run. */
export function sourceFiles(): SourceFile[] {
  const patterns = [
    '*.{md,ts}',
    '.github/**/*.md',
    'docs/**/*.md',
    '{apps,packages,scripts,bench,e2e}/**/*.{ts,tsx,mjs,cjs,md}',
  ];
  return globSync(patterns, { cwd: ROOT, exclude: ['**/node_modules/**', '**/dist/**'] })
    .filter((file) => !GENERATED.has(file))
    .sort()
    .map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }));
}

if (import.meta.main) {
  const paths = process.argv.slice(2);
  const uses = uncleanUses(sourceFiles(), paths.length > 0 ? paths : CLEAN, ALLOWED);
  for (const { file, line, word, text } of uses)
    process.stdout.write(`${file}:${line}: ${word}: ${text}\n`);
  if (uses.length > 0) {
    process.stdout.write(
      'Use plain words (docs/glossary.md), or add the use to ALLOWED in scripts/vocabulary.ts.\n',
    );
    process.exitCode = 1;
  }
}
