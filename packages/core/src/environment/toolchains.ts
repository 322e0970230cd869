import type { ToolchainNeed } from '@ship/protocol';
import { type Repository, json, stringAt, toml } from './listing.ts';
import { gradleFile } from './other-plans.ts';
import { type Programs, isPresent } from './programs.ts';
import { isPython } from './python-files.ts';
import { type VersionRule, fits } from './versions.ts';

interface VersionRequest {
  version: string;
  source: string;
  rule: VersionRule;
}

interface Tool {
  /** Display name. */
  name: string;
  program: string;
  /** Its names in `.tool-versions` and mise. */
  keys: readonly string[];
  /** The file that makes the tool necessary; undefined when it is not. */
  neededBy: (repository: Repository) => string | undefined;
  /** Versions that the tool's own files ask for, in order of precedence. */
  requests: (repository: Repository) => (VersionRequest | undefined)[];
}

const TOOLS: readonly Tool[] = [
  {
    name: 'Node.js',
    program: 'node',
    keys: ['nodejs', 'node'],
    neededBy: (repository) => repository.first(['package.json']),
    requests: (repository) => [
      ofFile(repository, '.nvmrc', 'major'),
      ofFile(repository, '.node-version', 'major'),
      versionRequest(stringAt(repository.packageJson, 'engines', 'node'), 'package.json', 'range'),
    ],
  },
  {
    name: 'Python',
    program: 'python3',
    keys: ['python'],
    neededBy: (repository) =>
      isPython(repository)
        ? (repository.first(['pyproject.toml', 'setup.py', 'requirements.txt']) ?? '*.py')
        : undefined,
    requests: (repository) => [
      ofFile(repository, '.python-version', 'minor'),
      versionRequest(
        stringAt(repository.pyproject, 'project', 'requires-python'),
        'pyproject.toml',
        'range',
      ),
    ],
  },
  {
    name: 'Go',
    program: 'go',
    keys: ['go', 'golang'],
    neededBy: (repository) => repository.first(['go.mod']),
    requests: (repository) => {
      const text = repository.text('go.mod');
      const requested = /^toolchain go(\S+)/m.exec(text)?.[1] ?? /^go (\d\S*)/m.exec(text)?.[1];
      return [versionRequest(requested, 'go.mod', 'least')];
    },
  },
  {
    name: 'Rust',
    program: 'cargo',
    keys: ['rust'],
    neededBy: (repository) => repository.first(['Cargo.toml']),
    requests: (repository) => {
      const own = toml(repository.texts['rust-toolchain.toml']);
      const channel = stringAt(own, 'toolchain', 'channel');
      const least = stringAt(repository.cargo, 'package', 'rust-version');
      return [
        versionRequest(channel, 'rust-toolchain.toml', 'minor'),
        ofFile(repository, 'rust-toolchain', 'minor'),
        versionRequest(least, 'Cargo.toml', 'least'),
      ];
    },
  },
  {
    name: 'Ruby',
    program: 'bundle',
    keys: ['ruby'],
    neededBy: (repository) => repository.first(['Gemfile']),
    requests: (repository) => [
      ofFile(repository, '.ruby-version', 'minor'),
      versionRequest(
        /^ruby ["']([^"']+)["']/m.exec(repository.text('Gemfile'))?.[1],
        'Gemfile',
        'range',
      ),
    ],
  },
  {
    name: 'PHP with Composer',
    program: 'composer',
    keys: ['php'],
    neededBy: (repository) => repository.first(['composer.json']),
    requests: (repository) => {
      const manifest = json(repository.texts['composer.json']);
      return [versionRequest(stringAt(manifest, 'require', 'php'), 'composer.json', 'range')];
    },
  },
  {
    name: 'Java',
    program: 'java',
    keys: ['java'],
    neededBy: (repository) => repository.first(['pom.xml']) ?? gradleFile(repository),
    requests: () => [],
  },
  {
    name: 'Maven',
    program: 'mvn',
    keys: ['maven'],
    neededBy: (repository) => (repository.has('mvnw') ? undefined : repository.first(['pom.xml'])),
    requests: () => [],
  },
  {
    name: 'Gradle',
    program: 'gradle',
    keys: ['gradle'],
    neededBy: (repository) => (repository.has('gradlew') ? undefined : gradleFile(repository)),
    requests: () => [],
  },
];

/** The program whose version counts, when the looked-up program has another one. */
const VERSION_OF: Readonly<Record<string, string>> = { bundle: 'ruby', composer: 'php' };

/** Languages and tools that the repository needs, with the requested version and the sandbox's version. */
export function toolchainNeeds(repository: Repository, programs: Programs): ToolchainNeed[] {
  return TOOLS.flatMap((tool) => {
    const neededBy = tool.neededBy(repository);
    return neededBy === undefined ? [] : [need(tool, neededBy, repository, programs)];
  });
}

function need(
  tool: Tool,
  neededBy: string,
  repository: Repository,
  programs: Programs,
): ToolchainNeed {
  const { name, program } = tool;
  const requested = [
    ...tool.requests(repository),
    ...ofVersionManagers(repository, tool.keys),
  ].find((one) => one !== undefined);
  const about = {
    tool: name,
    wanted: requested?.version ?? null,
    source: requested?.source ?? neededBy,
  };
  if (programs === null) return { ...about, found: null, status: 'unknown', advice: null };
  if (!isPresent(programs, program))
    return { ...about, found: null, status: 'missing', advice: install(name, about.wanted) };
  const found = programs[VERSION_OF[program] ?? program] ?? '';
  if (requested === undefined || found === '' || fits(found, requested.version, requested.rule))
    return { ...about, found: found || null, status: 'present', advice: null };
  const advice = `The sandbox has ${name} ${found}. ${install(name, requested.version)}`;
  return { ...about, found, status: 'other-version', advice };
}

function install(name: string, version: string | null): string {
  const what = version === null ? name : `${name} ${version}`;
  return `Install ${what} on the machine that runs the sandboxes, or in .ship/setup.sh.`.slice(
    0,
    400,
  );
}

function ofVersionManagers(
  repository: Repository,
  keys: readonly string[],
): (VersionRequest | undefined)[] {
  const lines = repository.text('.tool-versions').split('\n');
  const words = lines.map((line) => line.trim().split(/\s+/));
  const asdf = words.find(([key = '']) => keys.includes(key))?.[1];
  const mise = ['mise.toml', '.mise.toml'].map((file) => {
    const tools = toml(repository.texts[file]);
    const found = keys.map(
      (key) => stringAt(tools, 'tools', key) ?? stringAt(tools, 'tools', key, 'version'),
    );
    return versionRequest(
      found.find((version) => version !== undefined),
      file,
      'minor',
    );
  });
  return [versionRequest(asdf, '.tool-versions', 'minor'), ...mise];
}

/** The version in the first line that is not a comment. */
function ofFile(
  repository: Repository,
  file: string,
  rule: VersionRule,
): VersionRequest | undefined {
  const lines = repository.text(file).split('\n');
  const line = lines.map((one) => one.trim()).find((one) => one !== '' && !one.startsWith('#'));
  return versionRequest(line, file, rule);
}

function versionRequest(
  version: string | undefined,
  source: string,
  rule: VersionRule,
): VersionRequest | undefined {
  const text = version?.trim().slice(0, 100) ?? '';
  return text === '' ? undefined : { version: text, source, rule };
}
