import { parse as parseToml } from 'smol-toml';

/** The part of a repository's root folder that detection reads. */
export interface RepositoryListing {
  /** Names of files and folders in the root, folders with a slash at the end. */
  names: readonly string[];
  /** Text of those of `READ_FOR_DETECTION` and `READ_HEADS` that exist. */
  texts: Readonly<Record<string, string>>;
}

/** Requirements files for tests that are in a folder, in order of preference. */
export const REQUIREMENTS_IN_FOLDER = [
  'requirements/test.txt',
  'requirements/tests.txt',
  'requirements/testing.txt',
  'requirements/dev.txt',
  'requirements/development.txt',
] as const;

export const READ_FOR_DETECTION = [
  '.ship/verify.sh',
  'package.json',
  'Makefile',
  'pyproject.toml',
  'Cargo.toml',
  'go.mod',
  '.nvmrc',
  '.node-version',
  '.python-version',
  '.ruby-version',
  '.tool-versions',
  'mise.toml',
  '.mise.toml',
  'rust-toolchain',
  'rust-toolchain.toml',
  '.yarnrc.yml',
  'setup.cfg',
  'setup.py',
  'composer.json',
  'Gemfile',
  'Rakefile',
  'pom.xml',
  ...REQUIREMENTS_IN_FOLDER,
] as const;

/** Lock files can be huge, and only their first lines matter. */
export const READ_HEADS = ['yarn.lock', 'pnpm-lock.yaml'] as const;

/** Parsed once per plan. A file that does not parse counts as empty: the tool itself reports the error. */
export class Repository {
  readonly names: readonly string[];
  readonly texts: Readonly<Record<string, string>>;
  readonly packageJson: unknown;
  readonly pyproject: unknown;
  readonly cargo: unknown;

  constructor({ names, texts }: RepositoryListing) {
    this.names = names;
    this.texts = texts;
    this.packageJson = json(texts['package.json']);
    this.pyproject = toml(texts['pyproject.toml']);
    this.cargo = toml(texts['Cargo.toml']);
  }

  has(name: string): boolean {
    return this.names.includes(name);
  }

  first(names: readonly string[]): string | undefined {
    return names.find((name) => this.has(name));
  }

  text(name: string): string {
    return this.texts[name] ?? '';
  }
}

export function json(text: string | undefined): unknown {
  return attempt(text, (known) => JSON.parse(known));
}

export function toml(text: string | undefined): unknown {
  return attempt(text, parseToml);
}

function attempt(text: string | undefined, parse: (text: string) => unknown): unknown {
  if (text === undefined) return undefined;
  try {
    return parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}

/** The value at a path of members; undefined when there is none. Own members only: a file may contain `constructor`. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  let found = value;
  for (const name of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name))
      return undefined;
    found = Object.entries(found).find(([key]) => key === name)?.[1];
  }
  return found;
}

export function stringAt(value: unknown, ...path: readonly string[]): string | undefined {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : undefined;
}

/** The members of a table; an empty list when it does not exist. */
export function entriesAt(value: unknown, ...path: readonly string[]): [string, unknown][] {
  const found = at(value, ...path);
  return typeof found === 'object' && found !== null && !Array.isArray(found)
    ? Object.entries(found)
    : [];
}

export function isFilled(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

/** Quotes a word for a shell where that is necessary. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
