import type { Verb, Word } from './vocabulary.ts';

export type Shell = 'bash' | 'zsh' | 'fish';

/** A shell script that completes verbs, options, sub-verbs, and files after an option that takes a path. */
export function completionScript(shell: Shell, verbs: readonly Verb[]): string {
  switch (shell) {
    case 'bash':
      return bash(verbs);
    case 'zsh':
      return zsh(verbs);
    case 'fish':
      return fish(verbs);
  }
}

const PATH_OPTIONS = '--data|--repo|--root|--script|--demo-script|--templates';
const names = (words: readonly Word[]) => [...new Set(words.map(({ name }) => name))].join(' ');

function bash(verbs: readonly Verb[]): string {
  const cases = verbs.map(
    ({ name, options, below }) => `    ${name}) words="${names([...below, ...options])}" ;;`,
  );
  return `# ship completion for bash
_ship() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} words
  case $previous in
    ${PATH_OPTIONS}) COMPREPLY=($(compgen -f -- "$current")); return ;;
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${names(verbs)} --help --version" -- "$current"))
    return
  fi
  case \${COMP_WORDS[1]} in
${cases.join('\n')}
    *) words= ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _ship ship
`;
}

const describe = (words: readonly Word[]) =>
  words.map(({ name, description }) => quote(`${name}:${description}`)).join(' ');

function zsh(verbs: readonly Verb[]): string {
  const cases = verbs.map(
    ({ name, options, below }) => `    ${name}) choices=(${describe([...below, ...options])}) ;;`,
  );
  return `#compdef ship
_ship() {
  local -a choices
  case \${words[CURRENT-1]} in
    ${PATH_OPTIONS}) _files; return ;;
  esac
  if (( CURRENT == 2 )); then
    choices=(${describe(verbs)})
    _describe 'verb' choices
    return
  fi
  case \${words[2]} in
${cases.join('\n')}
  esac
  _describe 'word' choices
}
compdef _ship ship
`;
}

function fish(verbs: readonly Verb[]): string {
  const lines = verbs.flatMap(({ name, description, options, below }) => {
    const within = `-n '__fish_seen_subcommand_from ${name}'`;
    return [
      `complete -c ship -n __fish_use_subcommand -f -a ${name} -d ${quote(description)}`,
      ...below.map(
        (word) => `complete -c ship ${within} -f -a ${word.name} -d ${quote(word.description)}`,
      ),
      ...options.map((word) => {
        const takesPath = new RegExp(`^(${PATH_OPTIONS})$`).test(word.name);
        const files = takesPath ? '-r -F' : '-f';
        return `complete -c ship ${within} ${files} -l ${word.name.slice(2)} -d ${quote(word.description)}`;
      }),
    ];
  });
  return `# ship completion for fish\n${lines.join('\n')}\n`;
}

/** Single quotes make plain text in all three shells. */
function quote(text: string): string {
  return `'${text.replaceAll(/[\r\n]/g, ' ').replaceAll("'", '’')}'`;
}
