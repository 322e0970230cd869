import type { ToolRequest } from './source.ts';

/** The tool whose version an image's tag contains, by the last part of the image's name. */
const TOOL_OF_IMAGE: Readonly<Record<string, string>> = {
  node: 'node',
  'javascript-node': 'node',
  'typescript-node': 'node',
  python: 'python',
  golang: 'go',
  go: 'go',
  rust: 'rust',
  java: 'java',
  'eclipse-temurin': 'java',
  openjdk: 'java',
  ruby: 'ruby',
  php: 'php',
  bun: 'bun',
  deno: 'deno',
  elixir: 'elixir',
  dotnet: 'dotnet',
  sdk: 'dotnet',
};

/** The version in a tag such as `3.12-slim`, or `1-22-bookworm`, whose first number is the image's own version. */
function versionInTag(tag: string): string | null {
  const numbers = tag.split('-').filter((part) => /^v?\d+(?:\.\d+)*$/.test(part));
  const version = numbers.length > 1 ? numbers[1] : numbers[0];
  return version?.replace(/^v/, '') ?? null;
}

/** The tool that an image is for; null for an image of an operating system. */
export function toolOfImage(image: string, item: string): ToolRequest | null {
  const withoutDigest = image.split('@')[0] ?? '';
  const name = withoutDigest.slice(withoutDigest.lastIndexOf('/') + 1);
  const [base = '', tag = ''] = name.split(':');
  const tool = TOOL_OF_IMAGE[base];
  return tool === undefined ? null : { tool, version: versionInTag(tag), item };
}

/** Debian packages whose tool has another name. */
const TOOL_OF_PACKAGE: Readonly<Record<string, string>> = {
  nodejs: 'node',
  npm: 'npm',
  python3: 'python',
  golang: 'go',
  'golang-go': 'go',
  rustc: 'rust',
  cargo: 'rust',
  'default-jdk': 'java',
  'ruby-full': 'ruby',
  'postgresql-client': 'psql',
  'redis-tools': 'redis-cli',
  imagemagick: 'convert',
  ripgrep: 'rg',
};
/** Packages without a command, such as headers: Ship cannot check whether they are installed. */
const NO_COMMAND = /^(?:lib.*|.*-dev|build-essential|ca-certificates|locales|gnupg.*|fonts-.*)$/;

/**
 * The tools of a Dockerfile: that of its last stage's base image, and the packages that it installs. `args` are the build's
 * arguments, which override the file's own.
 */
export function toolsOfDockerfile(
  text: string,
  args: Readonly<Record<string, string>>,
  item: string,
): ToolRequest[] {
  const values: Record<string, string> = {};
  const stages = new Map<string, string>();
  let base: string | null = null;
  let packages: string[] = [];
  for (const line of instructionsOf(text)) {
    const [, keyword = '', rest = ''] = /^(\w+)\s+(.*)$/s.exec(line) ?? [];
    if (/^arg$/i.test(keyword)) {
      const [, name = '', value = ''] = /^(\w+)(?:=["']?([^"']*)["']?)?/.exec(rest) ?? [];
      values[name] = args[name] ?? value;
    } else if (/^from$/i.test(keyword)) {
      const [, image = '', alias] =
        /^(?:--\S+\s+)*(\S+)(?:\s+as\s+(\S+))?/i.exec(interpolate(rest, values)) ?? [];
      base = stages.get(image) ?? image;
      if (alias !== undefined) stages.set(alias, base);
      packages = [];
    } else if (/^run$/i.test(keyword)) packages.push(...installedBy(rest));
  }
  const ofBase = base === null ? null : toolOfImage(base, item);
  const tools = [...new Set(packages.filter((name) => !NO_COMMAND.test(name)))].map((name) => ({
    tool: TOOL_OF_PACKAGE[name] ?? name,
    version: null,
    item,
  }));
  return ofBase === null ? tools : [ofBase, ...tools];
}

function instructionsOf(text: string): string[] {
  const lines = text.split('\n').filter((line) => !/^\s*#/.test(line));
  return lines
    .join('\n')
    .replaceAll(/\\[ \t]*\r?\n/g, ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function interpolate(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(
    /\$(?:\{(\w+)(?::-([^}]*))?\}|(\w+))/g,
    (_, braced: string | undefined, fallback: string | undefined, plain: string | undefined) => {
      const value = values[braced ?? plain ?? ''] ?? '';
      return value === '' ? (fallback ?? '') : value;
    },
  );
}

function installedBy(run: string): string[] {
  return run.split(/&&|;|\|\|/).flatMap((command) => {
    const [, words = ''] =
      /\bapt(?:-get)?\s+(?:-\S+\s+)*install\s+(.*)/s.exec(command.replaceAll(/\s+/g, ' ')) ?? [];
    return words
      .split(' ')
      .map((word) => word.replace(/=.*$/, ''))
      .filter((word) => /^[a-z0-9][a-z0-9+.-]*$/.test(word));
  });
}
