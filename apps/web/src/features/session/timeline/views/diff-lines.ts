export interface DiffLine {
  readonly kind: 'head' | 'hunk' | 'added' | 'removed' | 'same' | 'note';
  /** The first character of a line inside a hunk. */
  readonly sign: '+' | '-' | ' ' | '';
  readonly text: string;
}

/** Parses a unified diff into lines. Inside a hunk only the first character decides the kind. */
export function diffLines(diff: string): readonly DiffLine[] {
  let isInHunk = false;
  return diff
    .replace(/\n$/, '')
    .split('\n')
    .map((line): DiffLine => {
      if (line.startsWith('@@ ')) isInHunk = true;
      else if (/^(diff --git|Index: )/.test(line)) isInHunk = false;
      if (line.startsWith('@@ ')) return { kind: 'hunk', sign: '', text: line };
      if (!isInHunk) return { kind: 'head', sign: '', text: line };
      const text = line.slice(1);
      if (line.startsWith('+')) return { kind: 'added', sign: '+', text };
      if (line.startsWith('-')) return { kind: 'removed', sign: '-', text };
      if (line.startsWith('\\')) return { kind: 'note', sign: '', text: line };
      return { kind: 'same', sign: ' ', text };
    });
}

export interface DiffPart {
  /** The changed file; empty if no header names it. */
  readonly path: string;
  readonly lines: readonly DiffLine[];
}

/** Splits a diff into headers and hunks, without headers that repeat the file name. */
export function diffParts(diff: string): readonly DiffPart[] {
  const parts: { path: string; lines: DiffLine[] }[] = [];
  let path = '';
  let before: DiffLine['kind'] | null = null;
  for (const line of diffLines(diff)) {
    const { kind, text } = line;
    if (kind === 'head') path = pathIn(text) ?? path;
    if (kind === 'head' && /^(Index: |=+$)/.test(text)) continue;
    if (before === null || kind === 'hunk' || (kind === 'head') !== (before === 'head'))
      parts.push({ path, lines: [] });
    parts.at(-1)?.lines.push(line);
    before = kind;
  }
  return parts;
}

/** The new name comes last; a deleted file has none. */
function pathIn(header: string): string | null {
  const path = /^(?:Index: |--- |\+\+\+ )([^\t]+)/.exec(header)?.[1];
  return path === undefined || path === '/dev/null' ? null : path;
}
