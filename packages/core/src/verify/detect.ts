/** Which command says whether the work is right, from what the repository has in its root folder. */

export interface RepositoryListing {
  /** Names of files and folders in the root, folders with a slash at the end. */
  names: readonly string[];
  /** Text of those of `READ_FOR_DETECTION` that exist. */
  texts: Readonly<Record<string, string>>;
}

export interface VerifyCommand {
  command: string;
  /** `settings`, or the file that says so. */
  source: string;
}

export const READ_FOR_DETECTION = [
  'package.json',
  'Makefile',
  'pyproject.toml',
  'Cargo.toml',
  'go.mod',
] as const;

/**
 * What somebody wrote down wins over what a language usually does: the setting, then a `test` script or target, then
 * the language's own way. Null when nothing says how: then nothing is verified, and that is said.
 */
export function detectVerifyCommand(
  setting: string | null,
  { names, texts }: RepositoryListing,
): VerifyCommand | null {
  if (setting !== null && setting.trim() !== '')
    return { command: setting.trim(), source: 'settings' };
  const has = (name: string) => names.includes(name);
  const npm = npmTest(texts['package.json'], has);
  if (npm !== null) return { command: npm, source: 'package.json' };
  if (/^test[ \t]*:(?!=)/m.test(texts['Makefile'] ?? ''))
    return { command: 'make test', source: 'Makefile' };
  if (has('Cargo.toml')) return { command: 'cargo test', source: 'Cargo.toml' };
  if (has('go.mod')) return { command: 'go test ./...', source: 'go.mod' };
  return pythonTest(names, texts['pyproject.toml'] ?? '');
}

function npmTest(text: string | undefined, has: (name: string) => boolean): string | null {
  const script = testScript(text);
  // What `npm init` writes fails on purpose.
  if (script === null || script.trim() === '' || /no test specified/i.test(script)) return null;
  if (has('pnpm-lock.yaml')) return 'pnpm test';
  if (has('yarn.lock')) return 'yarn test';
  if (has('bun.lock') || has('bun.lockb')) return 'bun run test';
  return 'npm test';
}

function testScript(text: string | undefined): string | null {
  if (text === undefined) return null;
  try {
    const parsed: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    const scripts = member(parsed, 'scripts');
    const test = member(scripts, 'test');
    return typeof test === 'string' ? test : null;
  } catch {
    return null;
  }
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.entries(value).find(([key]) => key === name)?.[1];
}

function pythonTest(names: readonly string[], pyproject: string): VerifyCommand | null {
  const has = (name: string) => names.includes(name);
  const isPython =
    has('pyproject.toml') ||
    has('setup.py') ||
    has('setup.cfg') ||
    has('requirements.txt') ||
    names.some((name) => name.endsWith('.py'));
  const own = names.find((name) => /^test_.+\.py$|.+_test\.py$/.test(name));
  const tests = own ?? names.find((name) => /^tests?\/$/.test(name));
  const usesPytest =
    has('pytest.ini') || has('conftest.py') || /\bpytest\b/.test(pyproject) || has('tox.ini');
  if (!isPython || (tests === undefined && !usesPytest)) return null;
  const source = has('pyproject.toml') ? 'pyproject.toml' : (tests ?? 'pytest.ini');
  if (!usesPytest) return { command: unittest(tests), source };
  const prefix = has('uv.lock') ? 'uv run ' : has('poetry.lock') ? 'poetry run ' : '';
  return { command: `${prefix}python3 -m pytest`, source };
}

/** Without a folder that it may look in, unittest finds only what is in the root. */
function unittest(tests: string | undefined): string {
  return tests?.endsWith('/') === true
    ? `python3 -m unittest discover -s ${tests.slice(0, -1)} -t .`
    : 'python3 -m unittest';
}
