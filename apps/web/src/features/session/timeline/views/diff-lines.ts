export interface DiffLine {
  readonly kind: 'head' | 'hunk' | 'added' | 'removed' | 'same';
  readonly text: string;
}

/** A unified diff by lines. Inside a hunk the first character decides, whatever follows it. */
export function diffLines(diff: string): readonly DiffLine[] {
  let isInHunk = false;
  return diff
    .replace(/\n$/, '')
    .split('\n')
    .map((text): DiffLine => {
      if (text.startsWith('@@ ')) isInHunk = true;
      else if (/^(diff --git|Index: )/.test(text)) isInHunk = false;
      if (text.startsWith('@@ ')) return { kind: 'hunk', text };
      if (!isInHunk) return { kind: 'head', text };
      if (text.startsWith('+')) return { kind: 'added', text };
      if (text.startsWith('-')) return { kind: 'removed', text };
      return { kind: 'same', text };
    });
}
