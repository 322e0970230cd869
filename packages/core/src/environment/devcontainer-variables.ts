import type { ValuePart } from './source.ts';

/** Values of devcontainer.json's variables in this sandbox. */
export interface VariableScope {
  /** Where the repository is in the sandbox. */
  folder: string;
  repositoryName: string;
  /** Names of the repository's secrets: the only variables of a "local" machine that exist here. */
  secretNames: readonly string[];
  /** Stable for a repository, so that caches named after it are found again. */
  devcontainerId: string;
}

export interface Expansion {
  parts: ValuePart[];
  /** Names of local variables that are not secrets of the repository. */
  unknown: string[];
}

const VARIABLE = /\$\{([A-Za-z]+)(?::([^:}]+))?(?::([^}]*))?\}/g;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Leaves a variable that devcontainer.json does not define unchanged: the shell may know it. */
export function expandVariables(text: string, scope: VariableScope): Expansion {
  const parts: ValuePart[] = [];
  const unknown: string[] = [];
  let literal = '';
  let end = 0;
  const push = (part: ValuePart) => {
    if (literal !== '') parts.push(literal);
    literal = '';
    parts.push(part);
  };
  for (const match of text.matchAll(VARIABLE)) {
    const [whole, kind = '', name = '', fallback = ''] = match;
    literal += text.slice(end, match.index);
    end = match.index + whole.length;
    const isLocal = kind === 'localEnv' || kind === 'env';
    if (isLocal && !scope.secretNames.includes(name)) {
      if (fallback === '') unknown.push(name);
      literal += fallback;
    } else if ((isLocal || kind === 'containerEnv') && NAME.test(name)) {
      push({ variable: name, fallback });
    } else {
      literal += constantOf(kind, scope) ?? whole;
    }
  }
  literal += text.slice(end);
  if (literal !== '') parts.push(literal);
  return { parts, unknown };
}

function constantOf(kind: string, scope: VariableScope): string | null {
  switch (kind) {
    case 'containerWorkspaceFolder':
    case 'localWorkspaceFolder':
      return scope.folder;
    case 'containerWorkspaceFolderBasename':
    case 'localWorkspaceFolderBasename':
      return scope.repositoryName;
    case 'devcontainerId':
      return scope.devcontainerId;
    default:
      return null;
  }
}
