import type { InstallStep, PackageManager } from '@ship/protocol';
import { type Repository, at, entriesAt, isFilled, quoted } from './listing.ts';
import { type Programs, isPresent } from './programs.ts';
import {
  groupRequirements,
  hasDependencies,
  isInstallable,
  isPython,
  requirementFiles,
  testExtras,
  testGroups,
  usesPytest,
} from './python-files.ts';

/** Every step creates this virtual environment: Debian's Python refuses installs into the system. */
export const VENV = '.venv';
/** The environment ignores itself: otherwise a repository without a matching .gitignore gets thousands of new files. */
const IGNORE = `printf '*\\n' >${VENV}/.gitignore`;

/** Runs pip inside the environment; without Debian's ensurepip, the system's pip installs into it from outside. */
function venvCommands(programs: Programs, folder: string): { make: string; pip: string } {
  const quiet = 'install --disable-pip-version-check';
  if (isPresent(programs, 'ensurepip'))
    return {
      make: `python3 -m venv ${folder}`,
      pip: `${folder}/bin/python -m pip ${quiet}`,
    };
  return {
    make: `python3 -m venv --without-pip ${folder}`,
    pip: `python3 -m pip --python ${folder}/bin/python ${quiet}`,
  };
}

/** Whether Python packages can be installed at all: uv, or a Python with venv and some pip. */
function canInstallPython(programs: Programs): boolean {
  if (programs === null || isPresent(programs, 'uv')) return true;
  return (
    isPresent(programs, 'python3') &&
    (isPresent(programs, 'ensurepip') || isPresent(programs, 'pip'))
  );
}

export function pythonSteps(repository: Repository, programs: Programs): InstallStep[] {
  if (!isPython(repository) || !canInstallPython(programs)) return [];
  if (repository.has('uv.lock') && isPresent(programs, 'uv'))
    return [step('uv', uvSync(repository), 'uv.lock')];
  const poetry = poetrySource(repository);
  if (poetry !== undefined) {
    const run = 'POETRY_VIRTUALENVS_IN_PROJECT=true {} install --no-interaction';
    return [step('poetry', withTool('poetry', run, programs), poetry)];
  }
  if (repository.has('Pipfile.lock')) {
    const run = 'PIPENV_VENV_IN_PROJECT=1 {} sync --dev';
    return [step('pipenv', withTool('pipenv', run, programs), 'Pipfile.lock')];
  }
  return pipSteps(repository, programs);
}

function uvSync(repository: Repository): string {
  const extras = testExtras(repository).map((name) => `--extra ${name}`);
  const groups = testGroups(repository).map((name) => `--group ${name}`);
  const isWorkspace = at(repository.pyproject, 'tool', 'uv', 'workspace') !== undefined;
  return [
    'uv sync --frozen',
    ...(isWorkspace ? ['--all-packages'] : []),
    ...extras,
    ...groups,
  ].join(' ');
}

/** Null when Poetry does not manage the project. */
function poetrySource(repository: Repository): string | undefined {
  if (repository.has('poetry.lock')) return 'poetry.lock';
  const isManaged = at(repository.pyproject, 'tool', 'poetry', 'dependencies') !== undefined;
  return isManaged ? 'pyproject.toml' : undefined;
}

/** Replaces `{}` by the tool: the installed one, one run by uv, or one in a separate environment in the home folder. */
function withTool(tool: string, line: string, programs: Programs): string {
  if (isPresent(programs, tool)) return line.replace('{}', tool);
  if (isPresent(programs, 'uv')) return line.replace('{}', `uvx ${tool}`);
  const home = `"$HOME/.local/share/${tool}"`;
  const { make, pip } = venvCommands(programs, home);
  return `${make} && ${pip} --quiet ${tool} && ${line.replace('{}', `${home}/bin/${tool}`)}`;
}

function pipSteps(repository: Repository, programs: Programs): InstallStep[] {
  const files = requirementFiles(repository);
  const wanted = pipArguments(repository, files);
  if (wanted.length === 0) {
    // Nothing is listed, and the system's pytest is sufficient.
    if (!usesPytest(repository) || programs === null || Object.hasOwn(programs, 'pytest'))
      return [];
  }
  const list = usesPytest(repository) ? [...wanted, 'pytest'] : wanted;
  const source =
    files[0] ??
    repository.first([
      'pyproject.toml',
      'setup.py',
      'setup.cfg',
      'pytest.ini',
      'conftest.py',
      'tox.ini',
    ]) ??
    'pytest';
  const words = list.join(' ');
  if (isPresent(programs, 'uv') && programs !== null)
    return [step('uv', `uv venv --allow-existing ${VENV} && uv pip install ${words}`, source)];
  const { make, pip } = venvCommands(programs, VENV);
  return [step('pip', `${make} && ${IGNORE} && ${pip} ${words}`, source)];
}

function pipArguments(repository: Repository, files: readonly string[]): string[] {
  const extras = testExtras(repository);
  const own = isInstallable(repository)
    ? isWorthInstalling(repository, extras)
      ? [`-e ${quoted(`.${extras.length === 0 ? '' : `[${extras.join(',')}]`}`)}`]
      : []
    : listedRequirements(repository, extras).map(quoted);
  return [
    ...files.map((file) => `-r ${quoted(file)}`),
    ...own,
    ...groupRequirements(repository).map(quoted),
  ];
}

/** A package in `src/` or with dependencies must be installed to be imported; one beside its tests need not. */
function isWorthInstalling(repository: Repository, extras: readonly string[]): boolean {
  return (
    hasDependencies(repository) ||
    extras.length > 0 ||
    repository.has('src/') ||
    repository.has('setup.py') ||
    isFilled(at(repository.pyproject, 'project', 'dynamic'))
  );
}

/** A project without a build system is not a package: install only its listed requirements, as uv does. */
function listedRequirements({ pyproject }: Repository, extras: readonly string[]): string[] {
  const lists = [
    at(pyproject, 'project', 'dependencies'),
    ...entriesAt(pyproject, 'project', 'optional-dependencies')
      .filter(([name]) => extras.includes(name))
      .map(([, list]) => list),
  ];
  return lists
    .flatMap((list) => (Array.isArray(list) ? list : []))
    .filter((one) => typeof one === 'string');
}

function step(manager: PackageManager, command: string, source: string): InstallStep {
  return { manager, command, folder: '.', source };
}
