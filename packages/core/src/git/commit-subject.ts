import { changeWords, verbOf } from './change-words.ts';
import type { CommitStyle } from './commit-style.ts';
import { type TouchedFile, type TypeFacts, typeOf } from './commit-type.ts';

export interface SubjectFacts extends TypeFacts {
  style: CommitStyle;
  /** What a merge brings in, such as `origin/main`, and into which branch; null for an ordinary commit. */
  merged?: { from: string; into: string } | null;
}

const CONVENTIONAL =
  /^(feat|fix|docs|style|refactor|perf|test|build|ci|chore|revert)(\([\w./-]+\))?(!?): (\S.*)$/;

const MAX_MERGE = 100;

export function commitSubject(facts: SubjectFacts): string {
  const { style, files, summary, merged = null } = facts;
  // As git names its own: linters of commit messages leave merges alone by these words.
  if (merged !== null) return cut(`Merge ${merged.from} into ${merged.into}`, MAX_MERGE);
  const said = changeWords(summary ?? '');
  const [, type, scope, mark = '', rest] = CONVENTIONAL.exec(said ?? '') ?? [];
  const words = rest ?? said ?? describeFiles(files);
  const shown = cased(words, style);
  if (style.kind === 'plain') return cut(shown, style.maxLength);
  const place = scopeOf(files.map(({ path }) => path));
  if (style.kind === 'path')
    return cut(place === '' ? shown : `${place}: ${shown}`, style.maxLength);
  const chosen = allowed(type ?? typeOf(facts, words), style.types);
  const asked = scope ?? (place === '' ? '' : `(${place})`);
  const isUsed = style.scopes === null || style.scopes.includes(asked.slice(1, -1));
  // "fix: fix the total" says it twice.
  const told = chosen === 'fix' ? shown.replace(/^([Ff])ix (?=\S)/, correct) : shown;
  return cut(`${chosen}${isUsed ? asked : ''}${mark}: ${told}`, style.maxLength);
}

const correct = (_: string, first: string): string => (first === 'F' ? 'Correct ' : 'correct ');

/** Our own verb is written as the repository writes it; a name of something stays as it is. */
function cased(words: string, { kind, isCapitalized }: CommitStyle): string {
  if (verbOf(words) === null) return words;
  const isUpper = isCapitalized ?? kind === 'plain';
  return isUpper ? words.charAt(0).toUpperCase() + words.slice(1) : words;
}

/** For work without a word of the agent. */
function describeFiles(files: readonly TouchedFile[]): string {
  if (files.length === 0) return 'update the repository';
  const all = (status: TouchedFile['status']) => files.every((file) => file.status === status);
  const verb = all('added') ? 'add' : all('deleted') ? 'remove' : 'update';
  return `${verb} ${listed(files.map(({ path }) => nameOf(path)))}`;
}

function nameOf(path: string): string {
  return path.split('/').at(-1) ?? path;
}

function listed(names: readonly string[]): string {
  const [first = '', second = ''] = names;
  if (names.length <= 1) return first;
  if (names.length === 2) return `${first} and ${second}`;
  return `${first} and ${names.length - 1} more files`;
}

const NEAR: Readonly<Record<string, readonly string[]>> = {
  feat: ['feature', 'add', 'new'],
  fix: ['bugfix', 'bug', 'hotfix'],
  chore: ['misc', 'other', 'task', 'refactor'],
  refactor: ['chore', 'cleanup', 'improvement'],
  perf: ['performance', 'improvement', 'refactor'],
  build: ['deps', 'chore'],
  ci: ['build', 'chore'],
  docs: ['doc', 'documentation', 'chore'],
  test: ['tests', 'chore'],
};

function allowed(type: string, types: readonly string[] | null): string {
  if (types === null || types.includes(type)) return type;
  return NEAR[type]?.find((near) => types.includes(near)) ?? types[0] ?? type;
}

/** The one package or folder that all files are in. */
function scopeOf(paths: readonly string[]): string {
  const scopes = new Set(
    paths.map((path) => {
      const parts = path.split('/');
      if (parts.length < 2) return '';
      return /^(apps|packages|libs|crates|services|modules)$/.test(parts[0] ?? '') &&
        parts.length > 2
        ? (parts[1] ?? '')
        : (parts[0] ?? '');
    }),
  );
  const [only = ''] = scopes;
  const hasMeaning =
    /^[a-z0-9][\w-]{0,24}$/i.test(only) && !/^(src|lib|app|tests?|docs)$/i.test(only);
  return scopes.size === 1 && hasMeaning ? only : '';
}

/** At a word's end where there is one: half an identifier is another identifier. */
export function cut(text: string, max: number): string {
  const characters = Array.from(text);
  if (characters.length <= max) return text;
  const kept = characters.slice(0, max - 1).join('');
  const space = kept.lastIndexOf(' ');
  return `${(space > max / 3 ? kept.slice(0, space) : kept).replace(/[\s,;:([]+$/, '')}…`;
}
