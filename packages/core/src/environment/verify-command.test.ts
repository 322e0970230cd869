import { describe, expect, it } from 'vitest';
import { detectVerifyCommand, didBuildHelp, needsBuild } from './verify-command.ts';

const npm = (test: string) => JSON.stringify({ scripts: { test } });
const detect = (
  texts: Record<string, string>,
  names: string[] = [],
  setting: string | null = null,
) =>
  detectVerifyCommand(setting, { names: [...Object.keys(texts), ...names], texts })?.command ??
  null;

describe('which command', () => {
  it('[VF1] the setting wins, then the repository’s own command, then the language’s default', () => {
    const all = { 'package.json': npm('node --test'), Makefile: 'test: build\n', 'go.mod': '' };
    expect(detect(all, [], ' make check ')).toBe('make check');
    expect(detect(all)).toBe('npm test');
    expect(detect({ ...all, 'package.json': '{}' })).toBe('make test');
    expect(detect({ 'go.mod': '', Makefile: 'build:\n\ttrue\ntest := 1\n' })).toBe(
      'go test -v ./...',
    );
    expect(detect({ 'Cargo.toml': '' })).toBe('cargo test');
  });

  it('[VF1] the package manager is that of the lock file', () => {
    const own = { 'package.json': npm('vitest') };
    expect(detect(own, ['pnpm-lock.yaml'])).toBe('pnpm test');
    expect(detect(own, ['yarn.lock'])).toBe('yarn test');
    expect(detect(own, ['bun.lock'])).toBe('bun run test');
  });

  it('[VF1] Python is tested with pytest if it is used, and with unittest if there are tests', () => {
    const pyproject = { 'pyproject.toml': '[tool.pytest.ini_options]\n' };
    expect(detect(pyproject)).toBe('python3 -m pytest');
    expect(detect(pyproject, ['uv.lock'])).toBe('uv run python3 -m pytest');
    expect(detect({}, ['app.py', 'tests/'])).toBe('python3 -m unittest discover -s tests -t .');
    expect(detect({}, ['test_app.py'])).toBe('python3 -m unittest');
    expect(detect({ 'pyproject.toml': '[project]\n' })).toBeNull();
  });

  it('[VF1] Java, Ruby and PHP are tested with the tools of their projects', () => {
    expect(detect({ 'pom.xml': '' })).toBe('mvn -B -ntp test');
    expect(detect({ 'pom.xml': '' }, ['mvnw'])).toBe('sh ./mvnw -B -ntp test');
    expect(detect({}, ['build.gradle.kts', 'gradlew'])).toBe('sh ./gradlew --no-daemon test');
    expect(detect({ Gemfile: '' }, ['spec/'])).toBe('bundle exec rspec');
    expect(detect({ Gemfile: '', Rakefile: '' }, ['test/'])).toBe('bundle exec rake test');
    expect(detect({ Gemfile: '' })).toBeNull();
    expect(detect({ 'composer.json': npm('phpunit') })).toBe('composer test');
    expect(detect({ 'composer.json': '{}' }, ['phpunit.xml.dist'])).toBe('vendor/bin/phpunit');
    expect(detect({ 'composer.json': '{}' })).toBeNull();
  });

  it('[VF1] nothing is guessed', () => {
    expect(detect({})).toBeNull();
    expect(detect({}, ['tests/', 'README.md'])).toBeNull();
    expect(detect({ 'package.json': npm('echo "Error: no test specified" && exit 1') })).toBeNull();
    for (const broken of ['{', 'null', '[]', '{"scripts":3}', '{"scripts":{"test":{}}}'])
      expect(detect({ 'package.json': broken })).toBeNull();
  });
});

const found = (scripts: Record<string, string>) =>
  detectVerifyCommand(null, {
    names: ['package.json'],
    texts: { 'package.json': JSON.stringify({ scripts, devDependencies: { uvu: '1' } }) },
  });
const counts = (passed: number) => ({ passed, failed: 1, skipped: 0 });

describe('tests that need a build', () => {
  it('[VF18] a build script can run before the tests, with the same manager', () => {
    expect(found({ test: 'uvu', build: 'node bin' })).toMatchObject({
      command: 'npm test',
      afterBuild: 'npm run build && npm test',
    });
    expect(found({ test: 'uvu' })).not.toHaveProperty('afterBuild');
    expect(found({ build: 'node bin' })).toBeNull();
  });

  it('[VF18] the build is tried when no test passed, and kept when one passes', () => {
    const chosen = { afterBuild: 'npm run build && npm test' };
    expect(needsBuild({ verdict: 'failed', counts: null }, chosen)).toBe(true);
    expect(needsBuild({ verdict: 'failed', counts: counts(0) }, chosen)).toBe(true);
    expect(needsBuild({ verdict: 'failed', counts: counts(1) }, chosen)).toBe(false);
    expect(needsBuild({ verdict: 'passed', counts: null }, chosen)).toBe(false);
    expect(needsBuild({ verdict: 'unavailable', counts: null }, chosen)).toBe(false);
    expect(needsBuild({ verdict: 'failed', counts: null }, {})).toBe(false);
    expect(didBuildHelp({ verdict: 'passed', counts: null })).toBe(true);
    expect(didBuildHelp({ verdict: 'failed', counts: counts(2) })).toBe(true);
    expect(didBuildHelp({ verdict: 'failed', counts: counts(0) })).toBe(false);
  });
});
