import { describeChange, verbOf } from './change-description.ts';
import type { CommitStyle } from './commit-style.ts';
import { type TouchedFile, type TypeFacts, typeOf } from './commit-type.ts';

export interface SubjectFacts extends TypeFacts {
  style: CommitStyle;
  /** A merge's source, such as `origin/main`, and its target branch; null for an ordinary commit. */
  merged?: { from: string; into: string } | null;
}

const CONVENTIONAL =
  /^(feat|fix|docs|style|refactor|perf|test|build|ci|chore|revert)(\([\w./-]+\))?(!?): (\S.*)$/;

const MAX_MERGE = 100;

export function commitSubject(facts: SubjectFacts): string {
  const { style, files, summary, merged = null } = facts;
  // git's own wording: commit linters recognize and skip merges by it.
  if (merged !== null) return cut(`Merge ${merged.from} into ${merged.into}`, MAX_MERGE);
  const described = describeChange(summary ?? '');
  const [, type, scope, mark = '', rest] = CONVENTIONAL.exec(described ?? '') ?? [];
  const words = rest ?? described ?? describeFiles(files);
  const shown = cased(words, style);
  if (style.kind === 'plain') return cut(shown, style.maxLength);
  const folder = scopeOf(files.map(({ path }) => path));
  if (style.kind === 'path')
    return cut(folder === '' ? shown : `${folder}: ${shown}`, style.maxLength);
  const chosen = allowed(type ?? typeOf(facts, words), style.types);
  const wanted = scope ?? (folder === '' ? '' : `(${folder})`);
  const isUsed = style.scopes === null || style.scopes.includes(wanted.slice(1, -1));
  // Avoids the repetition in "fix: fix the total".
  const text = chosen === 'fix' ? shown.replace(/^([Ff])ix (?=\S)/, correct) : shown;
  return cut(`${chosen}${isUsed ? wanted : ''}${mark}: ${text}`, style.maxLength);
}

const correct = (_: string, first: string): string => (first === 'F' ? 'Correct ' : 'correct ');

/** Capitalizes a leading verb as the repository does; a leading name stays unchanged. */
function cased(words: string, { kind, isCapitalized }: CommitStyle): string {
  if (verbOf(words) === null) return words;
  const isUpper = isCapitalized ?? kind === 'plain';
  return isUpper ? words.charAt(0).toUpperCase() + words.slice(1) : words;
}

/** The fallback without a summary of the agent. */
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

/** Replacements for a type that the repository does not allow. */
const SIMILAR_TYPES: Readonly<Record<string, readonly string[]>> = {
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
  return SIMILAR_TYPES[type]?.find((similar) => types.includes(similar)) ?? types[0] ?? type;
}

/** The package or folder that contains all files; empty without one. */
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

/** Cuts at the end of a word if possible: half an identifier is another identifier. */
export function cut(text: string, max: number): string {
  const characters = Array.from(text);
  if (characters.length <= max) return text;
  const kept = characters.slice(0, max - 1).join('');
  const space = kept.lastIndexOf(' ');
  return `${(space > max / 3 ? kept.slice(0, space) : kept).replace(/[\s,;:([]+$/, '')}…`;
}
