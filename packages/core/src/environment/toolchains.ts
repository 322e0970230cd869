import type { ToolchainNeed } from '@ship/protocol';
import { type Repository, json, stringAt, toml } from './listing.ts';
import { gradleFile } from './other-plans.ts';
import { type Programs, isPresent } from './programs.ts';
import { isPython } from './python-files.ts';
import { type VersionRule, fits } from './versions.ts';

interface Wish {
  version: string;
  source: string;
  rule: VersionRule;
}

interface Tool {
  /** As people call it. */
  name: string;
  program: string;
  /** In `.tool-versions` and mise. */
  keys: readonly string[];
  /** The file that makes the tool necessary; undefined when it is not. */
  neededBy: (repository: Repository) => string | undefined;
  /** What the tool's own files ask for, the strongest first. */
  wishes: (repository: Repository) => (Wish | undefined)[];
}

const TOOLS: readonly Tool[] = [
  {
    name: 'Node.js',
    program: 'node',
    keys: ['nodejs', 'node'],
    neededBy: (repository) => repository.first(['package.json']),
    wishes: (repository) => [
      ofFile(repository, '.nvmrc', 'major'),
      ofFile(repository, '.node-version', 'major'),
      wish(stringAt(repository.packageJson, 'engines', 'node'), 'package.json', 'range'),
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
    wishes: (repository) => [
      ofFile(repository, '.python-version', 'minor'),
      wish(stringAt(repository.pyproject, 'project', 'requires-python'), 'pyproject.toml', 'range'),
    ],
  },
  {
    name: 'Go',
    program: 'go',
    keys: ['go', 'golang'],
    neededBy: (repository) => repository.first(['go.mod']),
    wishes: (repository) => {
      const text = repository.text('go.mod');
      const asked = /^toolchain go(\S+)/m.exec(text)?.[1] ?? /^go (\d\S*)/m.exec(text)?.[1];
      return [wish(asked, 'go.mod', 'least')];
    },
  },
  {
    name: 'Rust',
    program: 'cargo',
    keys: ['rust'],
    neededBy: (repository) => repository.first(['Cargo.toml']),
    wishes: (repository) => {
      const own = toml(repository.texts['rust-toolchain.toml']);
      const channel = stringAt(own, 'toolchain', 'channel');
      const least = stringAt(repository.cargo, 'package', 'rust-version');
      return [
        wish(channel, 'rust-toolchain.toml', 'minor'),
        ofFile(repository, 'rust-toolchain', 'minor'),
        wish(least, 'Cargo.toml', 'least'),
      ];
    },
  },
  {
    name: 'Ruby',
    program: 'bundle',
    keys: ['ruby'],
    neededBy: (repository) => repository.first(['Gemfile']),
    wishes: (repository) => [
      ofFile(repository, '.ruby-version', 'minor'),
      wish(/^ruby ["']([^"']+)["']/m.exec(repository.text('Gemfile'))?.[1], 'Gemfile', 'range'),
    ],
  },
  {
    name: 'PHP with Composer',
    program: 'composer',
    keys: ['php'],
    neededBy: (repository) => repository.first(['composer.json']),
    wishes: (repository) => {
      const manifest = json(repository.texts['composer.json']);
      return [wish(stringAt(manifest, 'require', 'php'), 'composer.json', 'range')];
    },
  },
  {
    name: 'Java',
    program: 'java',
    keys: ['java'],
    neededBy: (repository) => repository.first(['pom.xml']) ?? gradleFile(repository),
    wishes: () => [],
  },
  {
    name: 'Maven',
    program: 'mvn',
    keys: ['maven'],
    neededBy: (repository) => (repository.has('mvnw') ? undefined : repository.first(['pom.xml'])),
    wishes: () => [],
  },
  {
    name: 'Gradle',
    program: 'gradle',
    keys: ['gradle'],
    neededBy: (repository) => (repository.has('gradlew') ? undefined : gradleFile(repository)),
    wishes: () => [],
  },
];

/** What the version is asked of, where the program itself does not tell it. */
const VERSION_OF: Readonly<Record<string, string>> = { bundle: 'ruby', composer: 'php' };

/** Languages and tools that the repository needs, with the version that it asks for and the one that is there. */
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
  const asked = [...tool.wishes(repository), ...ofVersionManagers(repository, tool.keys)].find(
    (one) => one !== undefined,
  );
  const about = { tool: name, wanted: asked?.version ?? null, source: asked?.source ?? neededBy };
  if (programs === null) return { ...about, found: null, status: 'unknown', advice: null };
  if (!isPresent(programs, program))
    return { ...about, found: null, status: 'missing', advice: install(name, about.wanted) };
  const found = programs[VERSION_OF[program] ?? program] ?? '';
  if (asked === undefined || found === '' || fits(found, asked.version, asked.rule))
    return { ...about, found: found || null, status: 'present', advice: null };
  const advice = `The sandbox has ${name} ${found}. ${install(name, asked.version)}`;
  return { ...about, found, status: 'other-version', advice };
}

function install(name: string, version: string | null): string {
  const what = version === null ? name : `${name} ${version}`;
  return `Install ${what} on the machine that runs the sandboxes, or in .ship/setup.sh.`.slice(
    0,
    400,
  );
}

function ofVersionManagers(repository: Repository, keys: readonly string[]): (Wish | undefined)[] {
  const lines = repository.text('.tool-versions').split('\n');
  const words = lines.map((line) => line.trim().split(/\s+/));
  const asdf = words.find(([key = '']) => keys.includes(key))?.[1];
  const mise = ['mise.toml', '.mise.toml'].map((file) => {
    const tools = toml(repository.texts[file]);
    const found = keys.map(
      (key) => stringAt(tools, 'tools', key) ?? stringAt(tools, 'tools', key, 'version'),
    );
    return wish(
      found.find((version) => version !== undefined),
      file,
      'minor',
    );
  });
  return [wish(asdf, '.tool-versions', 'minor'), ...mise];
}

/** The first line that is no comment. */
function ofFile(repository: Repository, file: string, rule: VersionRule): Wish | undefined {
  const lines = repository.text(file).split('\n');
  const line = lines.map((one) => one.trim()).find((one) => one !== '' && !one.startsWith('#'));
  return wish(line, file, rule);
}

function wish(version: string | undefined, source: string, rule: VersionRule): Wish | undefined {
  const text = version?.trim().slice(0, 100) ?? '';
  return text === '' ? undefined : { version: text, source, rule };
}
