/** Each language with its file extensions and the names used after three backticks. */
const endings = {
  bash: 'sh bash zsh ksh shell console env',
  c: 'c h',
  cpp: 'cpp cc cxx hpp hh hxx c++ ino',
  csharp: 'cs csx c#',
  css: 'css',
  diff: 'diff patch',
  dockerfile: 'dockerfile containerfile docker',
  go: 'go golang',
  ini: 'ini toml cfg conf properties editorconfig gitconfig',
  java: 'java',
  javascript: 'js jsx mjs cjs',
  json: 'json jsonc json5 webmanifest geojson',
  kotlin: 'kt kts',
  makefile: 'mk mak make makefile',
  markdown: 'md mdx markdown',
  php: 'php phtml',
  python: 'py pyi pyw py3',
  ruby: 'rb rake gemspec ru',
  rust: 'rs',
  scss: 'scss sass less',
  sql: 'sql psql ddl',
  swift: 'swift',
  typescript: 'ts tsx mts cts',
  xml: 'xml html htm xhtml svg vue svelte astro plist xsd xsl csproj',
  yaml: 'yaml yml',
} as const;

export type Language = keyof typeof endings;

/** Files that are recognized by their full name. */
const names: readonly (readonly [Language, RegExp])[] = [
  ['dockerfile', /^(dockerfile|containerfile)(\.|$)/],
  ['makefile', /^(gnu)?makefile$/],
  ['ruby', /^(gemfile|rakefile|podfile|vagrantfile|brewfile)$/],
  ['bash', /^\.?(env(\..+)?|bashrc|bash_profile|profile|zshrc|envrc)$/],
  ['json', /^(\.(babelrc|eslintrc|prettierrc|swcrc)|composer\.lock)$/],
  ['ini', /^(cargo\.lock|poetry\.lock|pipfile|\.npmrc|\.gitmodules)$/],
];

const byEnding: ReadonlyMap<string, Language> = new Map(
  languages().flatMap((language) =>
    [language, ...endings[language].split(' ')].map((ending) => [ending, language] as const),
  ),
);

function languages(): readonly Language[] {
  return Object.keys(endings) as Language[];
}

export function languageOfFile(path: string): Language | null {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  const named = names.find(([, pattern]) => pattern.test(name))?.[0];
  if (named !== undefined) return named;
  const dot = name.lastIndexOf('.');
  return dot === -1 ? null : (byEnding.get(name.slice(dot + 1)) ?? null);
}

/** The language of a fence's info string, which may have more in it (`ts title="a.ts"`, `{.python}`). */
export function languageOfFence(info: string): Language | null {
  const word = /[a-z0-9+#]+/i.exec(info)?.[0].toLowerCase();
  return word === undefined ? null : (byEnding.get(word) ?? null);
}
