/** Ecosystems with one manager each. */
import type { InstallStep, PackageManager } from '@ship/protocol';
import { type Repository, at, entriesAt, isFilled, json } from './listing.ts';
import { type Programs, isPresent } from './programs.ts';

export function otherSteps(
  repository: Repository,
  programs: Programs,
  withScripts: boolean,
): InstallStep[] {
  return [
    ...go(repository, programs),
    ...cargo(repository, programs),
    ...bundler(repository, programs),
    ...composer(repository, programs, withScripts),
    ...maven(repository, programs),
    ...gradle(repository, programs),
  ];
}

function go(repository: Repository, programs: Programs): InstallStep[] {
  if (!repository.has('go.mod') || repository.has('vendor/') || !isPresent(programs, 'go'))
    return [];
  const isNeeded = /^\s*require\b/m.test(repository.text('go.mod')) || repository.has('go.work');
  return isNeeded ? [step('go', 'go mod download', 'go.mod')] : [];
}

function cargo(repository: Repository, programs: Programs): InstallStep[] {
  const { cargo: manifest } = repository;
  if (!repository.has('Cargo.toml') || !isPresent(programs, 'cargo')) return [];
  const isNeeded =
    at(manifest, 'workspace') !== undefined ||
    ['dependencies', 'dev-dependencies', 'build-dependencies', 'target'].some((table) =>
      isFilled(at(manifest, table)),
    );
  if (!isNeeded) return [];
  const isLocked = repository.has('Cargo.lock');
  return [
    step(
      'cargo',
      `cargo fetch${isLocked ? ' --locked' : ''}`,
      isLocked ? 'Cargo.lock' : 'Cargo.toml',
    ),
  ];
}

/** Installs gems into the home folder: the system's folder belongs to root. */
function bundler(repository: Repository, programs: Programs): InstallStep[] {
  if (!repository.has('Gemfile') || !isPresent(programs, 'bundle')) return [];
  const isLocked = repository.has('Gemfile.lock');
  const install = `${isLocked ? 'BUNDLE_FROZEN=true ' : ''}bundle install`;
  const command = `bundle config set --global path "$HOME/.bundle/gems" && ${install}`;
  return [step('bundler', command, isLocked ? 'Gemfile.lock' : 'Gemfile')];
}

function composer(repository: Repository, programs: Programs, withScripts: boolean): InstallStep[] {
  if (!repository.has('composer.json') || !isPresent(programs, 'composer')) return [];
  const manifest = json(repository.texts['composer.json']);
  const needed = [...entriesAt(manifest, 'require'), ...entriesAt(manifest, 'require-dev')];
  // The language and its extensions are not packages.
  if (!needed.some(([name]) => name.includes('/'))) return [];
  const scripts = withScripts ? '' : ' --no-scripts --no-plugins';
  const command = `composer install --no-interaction --no-progress --prefer-dist${scripts}`;
  return [step('composer', command, repository.first(['composer.lock']) ?? 'composer.json')];
}

/** Prefers the wrapper: it has the version that the project uses. */
export function mavenProgram(repository: Repository): string {
  return repository.has('mvnw') ? 'sh ./mvnw' : 'mvn';
}

export function gradleProgram(repository: Repository): string {
  return repository.has('gradlew') ? 'sh ./gradlew' : 'gradle';
}

export function gradleFile(repository: Repository): string | undefined {
  return repository.first([
    'build.gradle.kts',
    'build.gradle',
    'settings.gradle.kts',
    'settings.gradle',
  ]);
}

function maven(repository: Repository, programs: Programs): InstallStep[] {
  if (!repository.has('pom.xml') || !isPresent(programs, 'java')) return [];
  if (!repository.has('mvnw') && !isPresent(programs, 'mvn')) return [];
  // Modules that need each other cannot be resolved before they are compiled.
  const hasModules = /<modules>/.test(repository.text('pom.xml'));
  const goal = hasModules ? 'test-compile' : 'dependency:go-offline';
  return [step('maven', `${mavenProgram(repository)} -B -ntp ${goal}`, 'pom.xml')];
}

function gradle(repository: Repository, programs: Programs): InstallStep[] {
  const file = gradleFile(repository);
  if (file === undefined || !isPresent(programs, 'java')) return [];
  if (!repository.has('gradlew') && !isPresent(programs, 'gradle')) return [];
  return [step('gradle', `${gradleProgram(repository)} --no-daemon testClasses`, file)];
}

function step(manager: PackageManager, command: string, source: string): InstallStep {
  return { manager, command, folder: '.', source };
}
