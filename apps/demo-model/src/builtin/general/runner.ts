/** Detects the test command of a project. Pure. */
import { z } from 'zod';

export interface Runner {
  /** As a user would type it. */
  command: string;
  /** The command that runs: without caches that some runners leave in the repository. */
  quietCommand?: string;
  language: 'javascript' | 'python' | 'other';
}

const TEST_FILE =
  /(^|\/)(test|tests|__tests__|spec)\/.*\.(c|m)?(j|t)sx?$|\.(test|spec)\.(c|m)?(j|t)sx?$|(^|\/)test_[^/]*\.py$|_test\.(py|go)$/;
const PYTHON_PROJECT =
  /(^|\/)(pyproject\.toml|setup\.py|setup\.cfg|pytest\.ini|tox\.ini|requirements[^/]*\.txt)$/;

const NO_BYTECODE = 'PYTHONDONTWRITEBYTECODE=1';

const manifestSchema = z.looseObject({ scripts: z.record(z.string(), z.string()).optional() });

/** Manifest files to read, if they exist. */
export const MANIFESTS = ['package.json', 'pyproject.toml', 'Makefile', 'go.mod', 'Cargo.toml'];

export function isTestFile(file: string): boolean {
  return TEST_FILE.test(file);
}

export function scriptsOf(manifest: string | undefined): Record<string, string> {
  if (manifest === undefined) return {};
  try {
    return manifestSchema.parse(JSON.parse(manifest)).scripts ?? {};
  } catch {
    return {};
  }
}

/** `texts`: the manifests that could be read. */
export function findRunner(files: string[], texts: ReadonlyMap<string, string>): Runner | null {
  const script = scriptsOf(texts.get('package.json'))['test'];
  if (script !== undefined && !/no test specified/.test(script)) {
    return { command: 'npm test', language: 'javascript' };
  }
  const tests = files.filter(isTestFile);
  if (texts.has('package.json') && tests.some((file) => /\.[cm]?js$/.test(file))) {
    return { command: 'node --test', language: 'javascript' };
  }
  const python = tests.some((file) => file.endsWith('.py'));
  if (python || (files.some((file) => PYTHON_PROJECT.test(file)) && tests.length > 0)) {
    return {
      command: 'python3 -m pytest',
      quietCommand: `${NO_BYTECODE} python3 -m pytest -q -p no:cacheprovider`,
      language: 'python',
    };
  }
  if (texts.has('go.mod')) return { command: 'go test ./...', language: 'other' };
  if (texts.has('Cargo.toml')) return { command: 'cargo test', language: 'other' };
  if (/^test:/m.test(texts.get('Makefile') ?? '')) {
    return { command: 'make test', language: 'other' };
  }
  return null;
}

/** Falls back to unittest, which is part of Python, when pytest is not installed. */
export function fallbackRunner(runner: Runner, output: string): Runner | null {
  return runner.language === 'python' && /No module named '?pytest/.test(output)
    ? {
        command: 'python3 -m unittest',
        quietCommand: `${NO_BYTECODE} python3 -m unittest`,
        language: 'python',
      }
    : null;
}
