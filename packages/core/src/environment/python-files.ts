import {
  REQUIREMENTS_IN_FOLDER,
  type Repository,
  at,
  entriesAt,
  isFilled,
  stringAt,
} from './listing.ts';

/** Usual names of the groups and extras that a test run needs. */
const FOR_TESTS = /^(dev(el(op(ment)?)?)?|tests?|testing|pytest|unit-?tests?|test-.+|tests-.+)$/i;
const NAME = /^[\w.-]{1,100}$/;

const isForTests = (name: string): boolean => FOR_TESTS.test(name) && NAME.test(name);

export function usesPytest(repository: Repository): boolean {
  return (
    repository.first(['pytest.ini', 'conftest.py', 'tox.ini']) !== undefined ||
    /\bpytest\b/.test(repository.text('pyproject.toml')) ||
    /^\[tool:pytest\]/m.test(repository.text('setup.cfg')) ||
    REQUIREMENTS_IN_FOLDER.some((name) => /^pytest\b/m.test(repository.text(name)))
  );
}

export function isPython(repository: Repository): boolean {
  const { names } = repository;
  return (
    repository.first(['pyproject.toml', 'setup.py', 'setup.cfg', 'Pipfile']) !== undefined ||
    requirementFiles(repository).length > 0 ||
    names.some((name) => name.endsWith('.py'))
  );
}

/** Where the tests are: a file in the root, or a folder with a slash at the end. */
export function pythonTests({ names }: Repository): string | undefined {
  return (
    names.find((name) => /^test_.+\.py$|.+_test\.py$/.test(name)) ??
    names.find((name) => /^tests?\/$/.test(name))
  );
}

/** Requirements files of the project and of its tests, without those for documentation or releases. */
export function requirementFiles(repository: Repository): string[] {
  const inRoot = repository.names.filter((name) =>
    /^(requirements|(requirements[-_.])?(dev|test|tests|testing|development)([-_.]requirements)?)\.(txt|in)$/.test(
      name,
    ),
  );
  const files = inRoot.filter(
    (name) =>
      name.includes('requirements') &&
      (name.endsWith('.txt') || !inRoot.includes(name.replace(/in$/, 'txt'))),
  );
  const [inFolder] = REQUIREMENTS_IN_FOLDER.filter((name) => repository.texts[name] !== undefined);
  return [...files.toSorted(), ...(inFolder === undefined ? [] : [inFolder])];
}

/** Whether the project itself can be installed; a pyproject.toml may contain only settings of tools. */
export function isInstallable(repository: Repository): boolean {
  const { pyproject } = repository;
  return (
    repository.has('setup.py') ||
    at(pyproject, 'build-system') !== undefined ||
    (repository.has('setup.cfg') && /^\[metadata\]/m.test(repository.text('setup.cfg')))
  );
}

export function testExtras(repository: Repository): string[] {
  const declared = entriesAt(repository.pyproject, 'project', 'optional-dependencies').map(
    ([name]) => name,
  );
  const poetry = entriesAt(repository.pyproject, 'tool', 'poetry', 'extras').map(([name]) => name);
  return [...new Set([...declared, ...poetry, ...setupExtras(repository)])].filter(isForTests);
}

/** setup.py is a program and is not run here: only quoted names before a colon are read. */
function setupExtras(repository: Repository): string[] {
  const [, script = ''] = repository.text('setup.py').split('extras_require', 2);
  const inScript = [...script.matchAll(/["']([\w.-]+)["']\s*:/g)].map(([, name = '']) => name);
  const config = repository.text('setup.cfg');
  const [, section = ''] = config.split(/^\[options\.extras_require\]\s*$/m, 2);
  const inConfig = [...(section.split(/^\[/m)[0] ?? '').matchAll(/^([\w.-]+)\s*=/gm)];
  return [...inScript, ...inConfig.map(([, name = '']) => name)];
}

/** Names of the dependency groups that tests need. uv installs `dev` automatically. */
export function testGroups(repository: Repository): string[] {
  return entriesAt(repository.pyproject, 'dependency-groups')
    .map(([name]) => name)
    .filter(isForTests);
}

/** The requirements in those groups, for a pip without support for groups. */
export function groupRequirements(repository: Repository): string[] {
  const groups = new Map(entriesAt(repository.pyproject, 'dependency-groups'));
  const wanted = new Set<string>();
  const seen = new Set<string>();
  const visit = (name: string) => {
    const group = groups.get(name);
    if (seen.has(name) || !Array.isArray(group)) return;
    seen.add(name);
    for (const one of group) {
      const included = stringAt(one, 'include-group');
      if (typeof one === 'string') wanted.add(one);
      else if (included !== undefined) visit(included);
    }
  };
  for (const name of testGroups(repository)) visit(name);
  return [...wanted];
}

export function hasDependencies({ pyproject }: Repository): boolean {
  return (
    isFilled(at(pyproject, 'project', 'dependencies')) ||
    isFilled(at(pyproject, 'tool', 'poetry', 'dependencies'))
  );
}
