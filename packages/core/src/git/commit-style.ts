/** The style of a repository's commit messages, from its rules and its history. It reads texts and runs no code. */

export interface CommitStyle {
  /** `type(scope): words`, `path: words` as in Go, or words alone. */
  kind: 'conventional' | 'path' | 'plain';
  /** Allowed types; null when unknown. */
  types: readonly string[] | null;
  /** Scopes in use; null when unknown. */
  scopes: readonly string[] | null;
  /** Whether the text begins with a capital letter; null when unknown. */
  isCapitalized: boolean | null;
  maxLength: number;
}

export interface StyleSources {
  /** Subjects of the base's newest commits, without merges. */
  subjects: readonly string[];
  /** Text of those of `STYLE_FILES` that exist. */
  texts: Readonly<Record<string, string>>;
}

export const STYLE_FILES = [
  'package.json',
  '.commitlintrc',
  '.commitlintrc.json',
  '.commitlintrc.yml',
  '.commitlintrc.yaml',
  '.commitlintrc.js',
  '.commitlintrc.cjs',
  'commitlint.config.js',
  'commitlint.config.cjs',
  'commitlint.config.mjs',
  'commitlint.config.ts',
  'AGENTS.md',
  'CLAUDE.md',
  'CONTRIBUTING.md',
  '.github/CONTRIBUTING.md',
] as const;

const MAX_SUBJECT = 72;
const TYPES = 'feat|fix|docs|style|refactor|perf|test|build|ci|chore|revert';
const CONVENTIONAL = new RegExp(`^(${TYPES})(?:\\(([^()\\n]{1,40})\\))?!?: (\\S.*)$`);
const PATH = /^([\w./,{}*-]{1,40}): (\S.*)$/;

/** A repository without history or rules gets conventional commits. */
export const DEFAULT_STYLE: CommitStyle = {
  kind: 'conventional',
  types: null,
  scopes: null,
  isCapitalized: null,
  maxLength: MAX_SUBJECT,
};

/** Written rules win over the history. */
export function readCommitStyle({ subjects, texts }: StyleSources): CommitStyle {
  const style = fromHistory(subjects);
  for (const name of STYLE_FILES) {
    const text = texts[name];
    if (text === undefined) continue;
    if (name.endsWith('.md')) Object.assign(style, fromProse(text));
  }
  for (const name of STYLE_FILES) {
    const text = texts[name];
    const isLint = text !== undefined && (name.includes('commitlint') || hasLint(name, text));
    if (isLint) Object.assign(style, fromCommitlint(text, style));
  }
  return style;
}

function hasLint(name: string, text: string): boolean {
  return name === 'package.json' && /"commitlint"\s*:\s*\{/.test(text);
}

/** The first commit of a repository does not show a style. */
const FIRST = /^(?:initial|first|init)\b/i;

function fromHistory(all: readonly string[]): CommitStyle {
  const style = { ...DEFAULT_STYLE };
  const subjects = all.filter((subject) => !FIRST.test(subject));
  if (subjects.length === 0) return style;
  const isMost = (count: number) => count * 2 > subjects.length;
  const conventional = subjects.flatMap((subject) => {
    const [, type, scope, words] = CONVENTIONAL.exec(subject) ?? [];
    return type === undefined ? [] : [{ scope, words: words ?? '' }];
  });
  if (isMost(conventional.length)) {
    const scopes = conventional.flatMap(({ scope }) => scope ?? []);
    // A few subjects do not show whether scopes are in use.
    if (scopes.length > 0 || conventional.length >= 5) style.scopes = [...new Set(scopes)];
    return { ...style, isCapitalized: capitals(conventional.map(({ words }) => words)) };
  }
  const paths = subjects.flatMap((subject) => PATH.exec(subject)?.[2] ?? []);
  if (isMost(paths.length)) return { ...style, kind: 'path', isCapitalized: capitals(paths) };
  return { ...style, kind: 'plain', isCapitalized: capitals(subjects) };
}

function capitals(texts: readonly string[]): boolean | null {
  const letters = texts.filter((text) => /^\p{L}/u.test(text));
  if (letters.length === 0) return null;
  const share = letters.filter((text) => /^\p{Lu}/u.test(text)).length / letters.length;
  return share >= 0.6 ? true : share <= 0.4 ? false : null;
}

/** Reads rules for people and agents, as far as they use common wording. */
function fromProse(text: string): Partial<CommitStyle> {
  const found: Partial<CommitStyle> = {};
  const isRefused = /\b(no|not|never|avoid|don['’]t use|without) (?:use )?conventional[- ]commit/i;
  if (isRefused.test(text)) found.kind = 'plain';
  else if (/conventional[- ]?commit|`?(?:type|feat|fix)\(\w+\):/i.test(text))
    found.kind = 'conventional';
  const length =
    /(?:subject|summary|title|first line|header)[^.\n]{0,60}?\b(\d{2,3}) (?:char|col)/i.exec(text);
  if (length !== null) found.maxLength = bounded(Number(length[1]));
  if (/capitali[sz]e the (?:subject|summary|first)/i.test(text)) found.isCapitalized = true;
  if (/(?:subject|summary)[^.\n]{0,30}lower[- ]?case/i.test(text)) found.isCapitalized = false;
  return found;
}

/** JSON, YAML or a module: finds the rules by their names, without running code. */
function fromCommitlint(text: string, style: CommitStyle): Partial<CommitStyle> {
  const found: Partial<CommitStyle> = { kind: 'conventional' };
  const types = listOf(text, 'type-enum');
  if (types !== null) found.types = types;
  const scopes = listOf(text, 'scope-enum');
  if (scopes !== null) found.scopes = scopes;
  if (isRule(text, 'scope-empty', 'always')) found.scopes = [];
  const length = /['"]?header-max-length['"]?\s*:\s*[^\d]*2\s*,?[^\d]{0,40}(\d{2,3})/.exec(text);
  if (length !== null) found.maxLength = bounded(Number(length[1]));
  // The shared configuration of commitlint refuses sentence case.
  if (/config-(?:conventional|angular)/.test(text)) found.isCapitalized = false;
  if (/['"]?subject-case['"]?\s*:\s*\[\s*0/.test(text)) found.isCapitalized = style.isCapitalized;
  return found;
}

function isRule(text: string, name: string, when: string): boolean {
  return new RegExp(`['"]?${name}['"]?\\s*:\\s*\\[\\s*2\\s*,\\s*['"]${when}['"]`).test(text);
}

function listOf(text: string, rule: string): string[] | null {
  const at = text.indexOf(rule);
  if (at === -1) return null;
  // After the level and `always`, the values are in their own brackets or in lines of YAML.
  const after = text.slice(at + rule.length, at + 4_000);
  const values =
    /always['"]?\s*,\s*\[([^\]]*)\]/.exec(after)?.[1] ??
    /always['"]?\s*\n((?:\s*-[\s-]*['"]?[\w./-]+['"]?\s*\n?)+)/.exec(after)?.[1];
  if (values === undefined) return null;
  const words = Array.from(
    values.matchAll(/['"]([\w./-]{1,40})['"]|-\s+(\w[\w./-]{0,39})/g),
    (one) => String(one[1] ?? one[2]),
  );
  return words.length === 0 ? null : words;
}

function bounded(length: number): number {
  return Math.min(100, Math.max(40, length));
}
