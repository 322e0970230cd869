/** A place in a file's patch: the hunk up to that line, and the line's position as GitHub counts it. */
export interface HunkPlace {
  hunk: string;
  position: number;
}

/** Finds a line of the old (LEFT) or new (RIGHT) file in a patch; none when the change does not show it. */
export function findLine(
  patch: string,
  line: number,
  side: 'LEFT' | 'RIGHT',
): HunkPlace | undefined {
  let header = '';
  let shown: string[] = [];
  let left = 0;
  let right = 0;
  for (const [index, text] of patch.split('\n').entries()) {
    const start = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(text);
    if (start !== null) {
      header = text;
      shown = [];
      left = Number(start[1]);
      right = Number(start[2]);
      continue;
    }
    shown.push(text);
    const mark = text.charAt(0);
    const here = side === 'LEFT' ? mark !== '+' && left === line : mark !== '-' && right === line;
    if (here && mark !== '\\') return { hunk: [header, ...shown].join('\n'), position: index };
    if (mark !== '+' && mark !== '\\') left += 1;
    if (mark !== '-' && mark !== '\\') right += 1;
  }
  return undefined;
}

/** Position as the older API has it: the number of lines below the first hunk header. */
export function atPosition(
  patch: string,
  position: number,
): { hunk: string; line: number } | undefined {
  const lines = patch.split('\n');
  if (position < 1 || position >= lines.length) return undefined;
  let start = position;
  while (start > 0 && !(lines[start] ?? '').startsWith('@@ ')) start -= 1;
  const header = /\+(\d+)/.exec(lines[start] ?? '');
  const before = lines.slice(start + 1, position).filter((text) => !text.startsWith('-')).length;
  return {
    hunk: lines.slice(start, position + 1).join('\n'),
    line: Number(header?.[1] ?? 1) + before,
  };
}
