import { describe, expect, it } from 'vitest';
import { describePlan } from './describe.ts';
import { type PlanInput, installCommand, missingTools, planEnvironment } from './plan.ts';
import { readPrograms } from './programs.ts';

const NODE = ['node 24.1.0', 'npm'];
const PYTHON = ['python3 3.11.2', 'ensurepip', 'pip'];

const programs = (...lines: string[]) => readPrograms([...NODE, ...PYTHON, ...lines].join('\n'));
const plan = (texts: Record<string, string>, names: string[] = [], more: Partial<PlanInput> = {}) =>
  planEnvironment({
    listing: { names: [...Object.keys(texts), ...names], texts },
    programs: null,
    verifySetting: null,
    isInstalled: true,
    withScripts: true,
    ...more,
  });
const commands = (...args: Parameters<typeof plan>) =>
  plan(...args).install.map(({ command }) => command);

const manifest = (more: object = {}) =>
  JSON.stringify({ scripts: { test: 'vitest' }, devDependencies: { vitest: '1' }, ...more });

const php = (require: object) => ({ 'composer.json': JSON.stringify({ require }) });
const one = (texts: Record<string, string>, ...lines: string[]) =>
  plan(texts, [], { programs: programs(...lines) }).toolchains[0];

describe('install plan of JavaScript', () => {
  const own = { 'package.json': manifest() };

  it('[EN1] each lock file has its manager in its frozen mode, and the same one runs the tests', () => {
    const cases: [names: string[], texts: Record<string, string>, install: string, test: string][] =
      [
        [['package-lock.json'], {}, 'npm ci --no-audit --no-fund', 'npm test'],
        [['npm-shrinkwrap.json'], {}, 'npm ci --no-audit --no-fund', 'npm test'],
        [[], {}, 'npm install --no-package-lock --no-audit --no-fund', 'npm test'],
        [['pnpm-lock.yaml'], {}, 'pnpm install --frozen-lockfile', 'pnpm test'],
        [['yarn.lock'], {}, 'yarn install --frozen-lockfile --non-interactive', 'yarn test'],
        [
          [],
          { 'yarn.lock': '__metadata:\n  version: 8\n' },
          'yarn install --immutable',
          'yarn test',
        ],
        [['yarn.lock', '.yarnrc.yml'], {}, 'yarn install --immutable', 'yarn test'],
        [['bun.lock'], {}, 'bun install --frozen-lockfile', 'bun run test'],
        [['bun.lockb'], {}, 'bun install --frozen-lockfile', 'bun run test'],
      ];
    for (const [names, texts, install, test] of cases) {
      const found = plan({ ...own, ...texts }, names);
      expect(found.install.map(({ command }) => command)).toEqual([install]);
      expect(found.verify?.command).toBe(test);
    }
  });

  it('[EN1] packageManager decides, unless only the lock file of another manager is there', () => {
    const berry = { 'package.json': manifest({ packageManager: 'yarn@4.1.0+sha224.abc' }) };
    expect(commands(berry, ['yarn.lock'])).toEqual(['yarn install --immutable']);
    expect(commands(berry)).toEqual(['yarn install']);
    expect(commands(berry, ['package-lock.json'])).toEqual(['npm ci --no-audit --no-fund']);
    const both = { 'package.json': manifest({ packageManager: 'npm@11.0.0' }) };
    expect(commands(both, ['yarn.lock', 'package-lock.json'])).toEqual([
      'npm ci --no-audit --no-fund',
    ]);
  });

  it('[EN2] npm fetches a missing manager in the version that the repository asks for', () => {
    const here = { programs: programs() };
    const first = (...args: Parameters<typeof plan>) => commands(...args)[0];
    const lock = { 'pnpm-lock.yaml': "lockfileVersion: '6.0'\n" };
    expect(first({ ...own, ...lock }, [], here)).toBe('npx --yes pnpm@8 install --frozen-lockfile');
    const asked = { 'package.json': manifest({ packageManager: 'pnpm@9.4.0' }) };
    const found = plan(asked, ['pnpm-lock.yaml'], here);
    expect(found.install[0]?.command).toBe('npx --yes pnpm@9.4.0 install --frozen-lockfile');
    expect(found.verify?.command).toBe('npx --yes pnpm@9.4.0 test');
    expect(found.notes).toEqual([expect.stringContaining('npm fetches it')]);
    expect(first(own, ['yarn.lock'], here)).toMatch(/^npx --yes yarn@1\.22\.22 install --frozen/);
    expect(first(own, ['bun.lock'], here)).toBe('npx --yes bun@1 install --frozen-lockfile');
    expect(first(own, ['yarn.lock', '.yarnrc.yml'], here)).toBe(
      'npx --yes @yarnpkg/cli-dist@4 install --immutable',
    );
    const yarnrc = { '.yarnrc.yml': 'yarnPath: .yarn/releases/yarn-4.1.0.cjs\n' };
    expect(first({ ...own, ...yarnrc }, ['yarn.lock'], here)).toBe(
      'node .yarn/releases/yarn-4.1.0.cjs install --immutable',
    );
    expect(first(own, ['pnpm-lock.yaml'], { programs: programs('pnpm') })).toBe(
      'pnpm install --frozen-lockfile',
    );
  });

  it('[EN1] without dependencies there is nothing to install; a workspace links its packages', () => {
    const bare = { 'package.json': JSON.stringify({ scripts: { test: 'node --test' } }) };
    expect(commands(bare, ['package-lock.json'])).toEqual([]);
    const alone = plan(bare, ['pnpm-lock.yaml'], { programs: programs() });
    expect(alone.verify?.command).toBe('npm test');
    const root = { 'package.json': JSON.stringify({ workspaces: ['packages/*'] }) };
    const found = plan(root, ['package-lock.json']);
    expect(found.install).toHaveLength(1);
    expect(found.notes[0]).toContain('workspace');
    for (const broken of ['{', 'null', '[]', '3'])
      expect(commands({ 'package.json': broken })).toEqual([]);
  });

  it('[EN3] scripts of dependencies are skipped when the settings say so', () => {
    const off = { withScripts: false };
    for (const lock of ['package-lock.json', 'pnpm-lock.yaml', 'yarn.lock', 'bun.lock'])
      expect(commands(own, [lock], off)[0]).toMatch(/ --ignore-scripts$/);
    expect(commands(own, ['yarn.lock', '.yarnrc.yml'], off)[0]).toMatch(/ --mode=skip-build$/);
    expect(commands(php({ 'a/b': '1' }), [], off)[0]).toMatch(/ --no-scripts --no-plugins$/);
  });
});

describe('install plan of Python', () => {
  const here = { programs: programs() };
  const pyproject = `[build-system]
requires = ["hatchling"]
[project]
name = "x"
dependencies = ["httpx"]
[project.optional-dependencies]
docs = ["sphinx"]
test = ["pytest"]
[dependency-groups]
lint = ["ruff"]
tests = ["pytest>=8", { include-group = "more" }]
more = ["freezegun; python_version<'4'"]
`;

  it('[EN1] uv installs the groups and extras that tests need from its lock file', () => {
    const found = plan({ 'pyproject.toml': pyproject }, ['uv.lock']);
    expect(found.install[0]?.command).toBe('uv sync --frozen --extra test --group tests');
    expect(found.verify?.command).toBe('uv run --no-sync python -m pytest');
  });

  it('[EN2] without uv, pip installs the same packages into a virtual environment, and tests run there', () => {
    const found = plan({ 'pyproject.toml': pyproject }, ['uv.lock'], here);
    expect(found.install).toMatchObject([{ manager: 'pip', source: 'pyproject.toml' }]);
    expect(found.install[0]?.command).toBe(
      "python3 -m venv .venv && printf '*\\n' >.venv/.gitignore && " +
        '.venv/bin/python -m pip install --disable-pip-version-check ' +
        "-e '.[test]' 'pytest>=8' 'freezegun; python_version<'\\''4'\\''' pytest",
    );
    expect(found.verify?.command).toBe('.venv/bin/python -m pytest');
    expect(found.notes.join(' ')).toContain('uv is not in the sandbox');
  });

  it('[EN1] poetry and pipenv install from their lock files into the repository, or are fetched first', () => {
    const poetry = { 'pyproject.toml': '[tool.poetry.dependencies]\n[tool.pytest]\n' };
    const own = plan(poetry, ['poetry.lock'], { programs: programs('poetry') });
    expect(own.install[0]?.command).toBe(
      'POETRY_VIRTUALENVS_IN_PROJECT=true poetry install --no-interaction',
    );
    expect(own.verify?.command).toBe('.venv/bin/python -m pytest');
    expect(commands(poetry, ['poetry.lock'], { programs: programs('uv') })[0]).toContain(
      ' uvx poetry install',
    );
    expect(commands(poetry, ['poetry.lock'], here)[0]).toContain(
      '&& POETRY_VIRTUALENVS_IN_PROJECT=true "$HOME/.local/share/poetry"/bin/poetry install',
    );
    expect(commands({}, ['Pipfile', 'Pipfile.lock'])).toEqual([
      'PIPENV_VENV_IN_PROJECT=1 pipenv sync --dev',
    ]);
  });

  it('[EN1] requirement files, test extras of setup.py and setup.cfg, and pytest', () => {
    const files = [
      'requirements.txt',
      'requirements-dev.txt',
      'requirements-docs.txt',
      'conftest.py',
    ];
    expect(commands({}, files, here)[0]).toMatch(
      / -r requirements-dev\.txt -r requirements\.txt pytest$/,
    );
    const script = { 'setup.py': "setup(extras_require={'docs': [], 'testing': ['x']})" };
    expect(commands(script, [], here)[0]).toMatch(/ -e '\.\[testing\]'$/);
    const config =
      '[metadata]\nname = x\n[options.extras_require]\ntest =\n  pytest\ndocs = sphinx\n';
    expect(commands({ 'setup.cfg': config }, ['setup.py', 'tox.ini'], here)[0]).toMatch(
      / -e '\.\[test\]' pytest$/,
    );
    const folder = { 'requirements/dev.txt': 'pytest\n' };
    expect(commands(folder, ['requirements/', 'app.py'], here)[0]).toMatch(
      / -r requirements\/dev\.txt pytest$/,
    );
    const virtual = { 'pyproject.toml': '[project]\nname="x"\ndependencies=["httpx>=1"]\n' };
    expect(commands(virtual, [], here)[0]).toMatch(/ 'httpx>=1'$/);
  });

  it('[EN2] a Python without ensurepip gets its packages from the pip of the system', () => {
    const debian = { programs: readPrograms('python3 3.11.2\npip') };
    expect(commands({}, ['requirements.txt'], debian)[0]).toContain(
      "python3 -m venv --without-pip .venv && printf '*\\n' >.venv/.gitignore && python3 -m pip --python .venv/bin/python install",
    );
    expect(
      commands({}, ['requirements.txt'], { programs: readPrograms('python3 3.11.2') }),
    ).toEqual([]);
  });

  it('[EN1] nothing listed, nothing installed; pytest only where the system has none', () => {
    expect(commands({}, ['app.py', 'tests/'], here)).toEqual([]);
    expect(plan({}, ['app.py', 'tests/'], here).verify?.command).toMatch(/^python3 -m unittest/);
    const pytest = ['conftest.py', 'app.py'];
    expect(commands({}, pytest, here)[0]).toMatch(/ pytest$/);
    const system = { programs: programs('pytest') };
    expect(commands({}, pytest, system)).toEqual([]);
    expect(plan({}, pytest, system).verify?.command).toBe('python3 -m pytest');
    const tools = { 'pyproject.toml': '[tool.ruff]\nline-length = 99\n' };
    expect(commands(tools, ['app.py'], here)).toEqual([]);
  });

  it('[EN4] a make target finds the programs of the environment', () => {
    const files = { Makefile: 'test:\n\tpytest\n' };
    const found = plan(files, ['requirements.txt'], { programs: programs('make') });
    expect(found.verify?.command).toBe('PATH="$PWD/.venv/bin:$PATH" make test');
    expect(plan(files, [], { programs: programs('make') }).verify?.command).toBe('make test');
    expect(plan(files, [], here).verify).toBeNull();
  });

  it('[EN4] without a successful install, tests use no virtual environment', () => {
    const off = { ...here, isInstalled: false };
    const found = plan({ 'pyproject.toml': pyproject }, ['uv.lock'], off);
    expect(found).toMatchObject({ install: [], verify: { command: 'python3 -m pytest' } });
    const own = plan({ 'pyproject.toml': pyproject }, ['.venv/'], off);
    expect(own.verify?.command).toBe('.venv/bin/python -m pytest');
  });
});

describe('install plan of other ecosystems', () => {
  it('[EN1] go, cargo, bundler, composer, maven and gradle', () => {
    expect(commands({ 'go.mod': 'module x\nrequire a v1\n' })).toEqual(['go mod download']);
    expect(commands({ 'go.mod': 'module x\n' })).toEqual([]);
    expect(commands({ 'go.mod': 'require a v1' }, ['vendor/'])).toEqual([]);
    expect(commands({ 'Cargo.toml': '[dependencies]\na = "1"\n' }, ['Cargo.lock'])).toEqual([
      'cargo fetch --locked',
    ]);
    expect(commands({ 'Cargo.toml': '[workspace]\nmembers = []\n' })).toEqual(['cargo fetch']);
    expect(commands({ 'Cargo.toml': '[package]\nname = "x"\n[dependencies]\n' })).toEqual([]);
    expect(commands({ Gemfile: '' }, ['Gemfile.lock'])[0]).toMatch(
      /BUNDLE_FROZEN=true bundle install$/,
    );
    expect(commands(php({ php: '>=8', 'ext-json': '*' }))).toEqual([]);
    expect(commands(php({ 'a/b': '1' }))[0]).toMatch(/^composer install --no-interaction/);
    expect(commands({ 'pom.xml': '' }, ['mvnw'])).toEqual([
      'sh ./mvnw -B -ntp dependency:go-offline',
    ]);
    expect(commands({ 'pom.xml': '<modules>' })).toEqual(['mvn -B -ntp test-compile']);
    expect(commands({}, ['build.gradle', 'gradlew'])).toEqual([
      'sh ./gradlew --no-daemon testClasses',
    ]);
  });

  it('[EN1] several ecosystems in one root get one step each', () => {
    const texts = { 'package.json': manifest(), 'Cargo.toml': '[dependencies]\na = "1"\n' };
    const found = plan(texts, ['requirements.txt', 'package-lock.json']);
    expect(found.install.map(({ manager }) => manager)).toEqual(['npm', 'pip', 'cargo']);
    expect(installCommand(found.install)).toMatch(
      /^\(npm ci .*\n\) && \(.*\n\) && \(cargo fetch\n\)$/,
    );
  });
});

describe('toolchains', () => {
  const own = { 'package.json': manifest() };

  it('[EN5] the requested version is compared with the installed one', () => {
    const cases: [
      texts: Record<string, string>,
      lines: string[],
      status: string,
      source: string,
    ][] = [
      [{ ...own, '.nvmrc': 'v24\n' }, [], 'present', '.nvmrc'],
      [{ ...own, '.nvmrc': 'lts/*' }, [], 'present', '.nvmrc'],
      [{ ...own, '.node-version': '# old\n18.2.0\n' }, [], 'other-version', '.node-version'],
      [{ 'package.json': manifest({ engines: { node: '>=20' } }) }, [], 'present', 'package.json'],
      [
        { 'package.json': manifest({ engines: { node: '^18 || ^20' } }) },
        [],
        'other-version',
        'package.json',
      ],
      [{ ...own, '.tool-versions': 'nodejs 18.0.0\n' }, [], 'other-version', '.tool-versions'],
      [{ ...own, 'mise.toml': '[tools]\nnode = "24"\n' }, [], 'present', 'mise.toml'],
      [
        { 'pyproject.toml': '[project]\nrequires-python = ">=3.9,<4"\n' },
        [],
        'present',
        'pyproject.toml',
      ],
      [
        { 'pyproject.toml': '[project]\nrequires-python = ">=3.13"\n' },
        [],
        'other-version',
        'pyproject.toml',
      ],
      [{ 'pyproject.toml': '', '.python-version': '3.11\n' }, [], 'present', '.python-version'],
      [{ 'go.mod': 'go 1.22\n' }, ['go go version go1.24.1 linux/amd64'], 'present', 'go.mod'],
      [
        { 'go.mod': 'go 1.22\ntoolchain go1.25.0\n' },
        ['go go version go1.24.1'],
        'other-version',
        'go.mod',
      ],
      [
        { 'Cargo.toml': '[package]\nrust-version = "1.70"' },
        ['cargo 1.85.0'],
        'present',
        'Cargo.toml',
      ],
      [
        { 'Cargo.toml': '', 'rust-toolchain': 'nightly' },
        ['cargo 1.85.0'],
        'present',
        'rust-toolchain',
      ],
      [
        { 'Cargo.toml': '', 'rust-toolchain.toml': '[toolchain]\nchannel = "1.60"' },
        ['cargo 1.85.0'],
        'other-version',
        'rust-toolchain.toml',
      ],
    ];
    for (const [texts, lines, status, source] of cases)
      expect({ texts, ...one(texts, ...lines) }).toMatchObject({ status, source });
  });

  it('[EN5] a missing toolchain has advice, and no install step', () => {
    const found = plan({ 'Cargo.toml': '[dependencies]\na = "1"\n' }, [], { programs: programs() });
    expect(found.install).toEqual([]);
    expect(missingTools(found)).toMatchObject([
      {
        tool: 'Rust',
        wanted: null,
        source: 'Cargo.toml',
        advice: expect.stringContaining('Install Rust'),
      },
    ]);
    expect(found.verify?.command).toBe('cargo test');
    expect(plan({ 'Cargo.toml': '' }).toolchains).toMatchObject([{ status: 'unknown' }]);
  });
});

describe('description of the plan', () => {
  it('[EN6] names the detected file, the install command and the test command', () => {
    const own = { 'package.json': manifest() };
    expect(describePlan(plan(own, ['pnpm-lock.yaml']))).toEqual([
      'found pnpm-lock.yaml → pnpm install --frozen-lockfile → pnpm test',
    ]);
    expect(describePlan(plan({ 'go.mod': '' }))).toEqual(['found go.mod → go test -v ./...']);
    expect(describePlan(plan({}))).toEqual(['nothing to install, no test command found']);
    const two = describePlan(plan({ ...own, 'go.mod': 'require a v1' }, ['package-lock.json']));
    expect(two).toEqual([
      'found package-lock.json → npm ci --no-audit --no-fund',
      'found go.mod → go mod download → npm test',
    ]);
  });

  it('[EN1] the sandbox’s program list is parsed line by line, and invalid lines are ignored', () => {
    expect(
      readPrograms('node\nnode v24.1.0\ngo go version go1.24.1 x\n../x 3\n\npython3 3.11.2 \n'),
    ).toEqual({
      node: '24.1.0',
      go: '1.24.1',
      python3: '3.11.2',
    });
  });
});
