import type { DiffHunk } from '@ship/protocol';

export interface NumberedLine {
  readonly kind: 'added' | 'removed' | 'same' | 'note';
  readonly oldNumber: number | null;
  readonly newNumber: number | null;
  readonly text: string;
}

/** The lines of a hunk with their old and new numbers. */
export function numberLines({ oldStart, newStart, lines }: DiffHunk): readonly NumberedLine[] {
  let oldNumber = oldStart;
  let newNumber = newStart;
  return lines.map((line): NumberedLine => {
    const text = line.slice(1);
    switch (line[0]) {
      case '+':
        return { kind: 'added', oldNumber: null, newNumber: newNumber++, text };
      case '-':
        return { kind: 'removed', oldNumber: oldNumber++, newNumber: null, text };
      case '\\':
        return { kind: 'note', oldNumber: null, newNumber: null, text: text.trim() };
      default:
        return { kind: 'same', oldNumber: oldNumber++, newNumber: newNumber++, text };
    }
  });
}

export interface LinePair {
  readonly left: NumberedLine | null;
  readonly right: NumberedLine | null;
}

/** Pairs removed lines with the added ones that replaced them; unchanged lines appear on both sides. */
export function pairLines(lines: readonly NumberedLine[]): readonly LinePair[] {
  const pairs: LinePair[] = [];
  let removed: NumberedLine[] = [];
  let added: NumberedLine[] = [];
  const flush = () => {
    for (let index = 0; index < Math.max(removed.length, added.length); index += 1)
      pairs.push({ left: removed[index] ?? null, right: added[index] ?? null });
    removed = [];
    added = [];
  };
  for (const line of lines) {
    if (line.kind === 'removed') {
      // A removal after an addition starts a new pair group.
      if (added.length > 0) flush();
      removed.push(line);
    } else if (line.kind === 'added') added.push(line);
    else if (line.kind === 'same') {
      flush();
      pairs.push({ left: line, right: line });
    }
  }
  flush();
  return pairs;
}
