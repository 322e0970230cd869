import { type RepositoryListing, Repository, at, json, stringAt } from './listing.ts';
import { nodeBuild, nodeTest } from './node-plan.ts';
import { gradleFile, gradleProgram, mavenProgram } from './other-plans.ts';
import { type Programs, isPresent } from './programs.ts';
import { isPython, pythonTests, usesPytest } from './python-files.ts';
import { VENV } from './python-plan.ts';
import type { Judgement } from '../verify/judge.ts';

const VERIFY_SCRIPT = '.ship/verify.sh';

export interface VerifyCommand {
  command: string;
  /** `settings`, or the file that defines the command. */
  source: string;
  /** The same command after a build: many packages test their build output, which is not in the repository. */
  afterBuild?: string | undefined;
}

/** Whether to retry after a build: no test passed without one. */
export const needsBuild = (
  { verdict, counts }: Pick<Judgement, 'verdict' | 'counts'>,
  { afterBuild }: Pick<VerifyCommand, 'afterBuild'>,
): boolean => afterBuild !== undefined && verdict === 'failed' && (counts?.passed ?? 0) === 0;

/** Whether the build helped; otherwise the result of the plain command is more useful. */
export const didBuildHelp = ({ verdict, counts }: Pick<Judgement, 'verdict' | 'counts'>): boolean =>
  verdict === 'passed' || (counts?.passed ?? 0) > 0;

/**
 * Configuration wins over a language's default: the setting, then `.ship/verify.sh`, then a `test` script or target,
 * then the language's default. Null when nothing is found: then nothing is verified, and Ship says so.
 */
export function detectVerifyCommand(
  setting: string | null,
  listing: RepositoryListing,
  programs: Programs = null,
  hasVenv = false,
): VerifyCommand | null {
  if (setting !== null && setting.trim() !== '')
    return { command: setting.trim(), source: 'settings' };
  const repository = new Repository(listing);
  return (
    configuredCommand(repository, programs, hasVenv) ??
    defaultCommand(repository, programs, hasVenv)
  );
}

function configuredCommand(
  repository: Repository,
  programs: Programs,
  hasVenv: boolean,
): VerifyCommand | null {
  if (repository.text(VERIFY_SCRIPT).trim() !== '')
    return { command: `bash ${VERIFY_SCRIPT}`, source: VERIFY_SCRIPT };
  const npm = nodeTest(repository, programs);
  if (npm !== null) {
    const build = nodeBuild(repository, programs);
    const afterBuild = build === null ? {} : { afterBuild: `${build} && ${npm}` };
    return { command: npm, source: 'package.json', ...afterBuild };
  }
  const hasTarget = /^test[ \t]*:(?!=)/m.test(repository.text('Makefile'));
  if (!hasTarget || !isPresent(programs, 'make')) return null;
  // The target calls `pytest`, and must find the project's own.
  const path = hasVenv ? `PATH="$PWD/${VENV}/bin:$PATH" ` : '';
  return { command: `${path}make test`, source: 'Makefile' };
}

function defaultCommand(
  repository: Repository,
  programs: Programs,
  hasVenv: boolean,
): VerifyCommand | null {
  if (repository.has('Cargo.toml')) return { command: 'cargo test', source: 'Cargo.toml' };
  // Without -v, go does not name passed tests, so they could not be counted.
  if (repository.has('go.mod')) return { command: 'go test -v ./...', source: 'go.mod' };
  if (repository.has('pom.xml'))
    return { command: `${mavenProgram(repository)} -B -ntp test`, source: 'pom.xml' };
  const gradle = gradleFile(repository);
  if (gradle !== undefined)
    return { command: `${gradleProgram(repository)} --no-daemon test`, source: gradle };
  return pythonTest(repository, programs, hasVenv) ?? rubyTest(repository) ?? phpTest(repository);
}

function pythonTest(
  repository: Repository,
  programs: Programs,
  hasVenv: boolean,
): VerifyCommand | null {
  const tests = pythonTests(repository);
  const isPytest = usesPytest(repository);
  if (!isPython(repository) || (tests === undefined && !isPytest)) return null;
  const source =
    repository.first(['pyproject.toml', 'setup.cfg', 'pytest.ini']) ?? tests ?? 'pytest.ini';
  const python = pythonProgram(repository, programs, hasVenv);
  return { command: `${python} -m ${isPytest ? 'pytest' : unittest(tests)}`, source };
}

function pythonProgram(repository: Repository, programs: Programs, hasVenv: boolean): string {
  if (repository.has('uv.lock') && isPresent(programs, 'uv'))
    return hasVenv ? 'uv run --no-sync python' : 'uv run python3';
  if (hasVenv || repository.has(`${VENV}/`)) return `${VENV}/bin/python`;
  return repository.has('poetry.lock') && isPresent(programs, 'poetry')
    ? 'poetry run python3'
    : 'python3';
}

/** Without a folder, unittest finds only the tests in the root. */
function unittest(tests: string | undefined): string {
  return tests?.endsWith('/') === true
    ? `unittest discover -s ${tests.slice(0, -1)} -t .`
    : 'unittest';
}

function rubyTest(repository: Repository): VerifyCommand | null {
  if (!repository.has('Gemfile')) return null;
  if (repository.has('.rspec') || repository.has('spec/'))
    return { command: 'bundle exec rspec', source: repository.first(['.rspec']) ?? 'spec/' };
  if (!repository.has('test/') || !repository.has('Rakefile')) return null;
  return { command: 'bundle exec rake test', source: 'Rakefile' };
}

function phpTest(repository: Repository): VerifyCommand | null {
  if (!repository.has('composer.json')) return null;
  const manifest = json(repository.texts['composer.json']);
  const script = at(manifest, 'scripts', 'test');
  if (Array.isArray(script) || stringAt(manifest, 'scripts', 'test') !== undefined)
    return { command: 'composer test', source: 'composer.json' };
  const config = repository.first(['phpunit.xml', 'phpunit.xml.dist', 'phpunit.dist.xml']);
  return config === undefined ? null : { command: 'vendor/bin/phpunit', source: config };
}
