import type { TouchedFile } from './commit-type.ts';

/** Lock files, each with the manifests whose change explains a change of it. */
const MANIFESTS: Readonly<Record<string, readonly string[]>> = {
  'package-lock.json': ['package.json'],
  'npm-shrinkwrap.json': ['package.json'],
  'yarn.lock': ['package.json'],
  'pnpm-lock.yaml': ['package.json', 'pnpm-workspace.yaml'],
  'bun.lock': ['package.json'],
  'bun.lockb': ['package.json'],
  'Cargo.lock': ['Cargo.toml'],
  'poetry.lock': ['pyproject.toml'],
  'uv.lock': ['pyproject.toml'],
  'pdm.lock': ['pyproject.toml'],
  'Pipfile.lock': ['Pipfile'],
  'Gemfile.lock': ['Gemfile'],
  'composer.lock': ['composer.json'],
  'go.sum': ['go.mod'],
};

const ON_PURPOSE =
  /\b(lock ?files?|dependenc(?:y|ies)|upgrad\w*|bump\w*|audit|vulnerab\w*|install\w*)\b/i;

const nameOf = (path: string): string => path.split('/').at(-1) ?? path;
const isLock = ({ path }: TouchedFile): boolean => nameOf(path) in MANIFESTS;

/**
 * Lock files that a tool changed as a side effect: no manifest changed, the agent does not mention dependencies, and other
 * files changed. A turn that changed only a lock file was about the lock file.
 */
export function byProducts(files: readonly TouchedFile[], summary: string | null): string[] {
  const locks = files.filter(isLock);
  if (locks.length === 0 || locks.length === files.length) return [];
  const isNamed = locks.some(({ path }) => (summary ?? '').includes(nameOf(path)));
  if (isNamed || ON_PURPOSE.test(summary ?? '')) return [];
  const changed = new Set(files.map(({ path }) => nameOf(path)));
  return locks
    .filter(({ path, status }) => {
      const manifests = MANIFESTS[nameOf(path)] ?? [];
      return status !== 'deleted' && !manifests.some((name) => changed.has(name));
    })
    .map(({ path }) => path);
}
