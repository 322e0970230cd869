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
  /** `settings`, or the file that says so. */
  source: string;
  /** The same after a build: many packages test what they ship, and what they ship is not in the repository. */
  afterBuild?: string | undefined;
}

/** Whether it is worth trying again after a build: not a single test passed without one. */
export const needsBuild = (
  { verdict, counts }: Pick<Judgement, 'verdict' | 'counts'>,
  { afterBuild }: Pick<VerifyCommand, 'afterBuild'>,
): boolean => afterBuild !== undefined && verdict === 'failed' && (counts?.passed ?? 0) === 0;

/** Whether a build made the difference; otherwise the plain command and its output say more. */
export const helped = ({ verdict, counts }: Pick<Judgement, 'verdict' | 'counts'>): boolean =>
  verdict === 'passed' || (counts?.passed ?? 0) > 0;

/**
 * What somebody wrote down wins over what a language usually does: the setting, then `.ship/verify.sh`, then a `test` script or target, then
 * the language's own way. Null when nothing says how: then nothing is verified, and that is said.
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
  return written(repository, programs, hasVenv) ?? usual(repository, programs, hasVenv);
}

function written(
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
  // The target says `pytest`, and means the one of the project.
  const path = hasVenv ? `PATH="$PWD/${VENV}/bin:$PATH" ` : '';
  return { command: `${path}make test`, source: 'Makefile' };
}

function usual(repository: Repository, programs: Programs, hasVenv: boolean): VerifyCommand | null {
  if (repository.has('Cargo.toml')) return { command: 'cargo test', source: 'Cargo.toml' };
  // Without -v it names no test that passed, so none could be counted.
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

/** Without a folder that it may look in, unittest finds only what is in the root. */
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
