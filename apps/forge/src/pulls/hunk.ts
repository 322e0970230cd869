/** The hunk up to a line of a patch, and the position of that line as GitHub counts it. */
export interface HunkPosition {
  hunk: string;
  position: number;
}

/** Finds a line of the old (LEFT) or new (RIGHT) file in a patch; undefined when no hunk contains it. */
export function findLine(
  patch: string,
  line: number,
  side: 'LEFT' | 'RIGHT',
): HunkPosition | undefined {
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
    const marker = text.charAt(0);
    const here =
      side === 'LEFT' ? marker !== '+' && left === line : marker !== '-' && right === line;
    if (here && marker !== '\\') return { hunk: [header, ...shown].join('\n'), position: index };
    if (marker !== '+' && marker !== '\\') left += 1;
    if (marker !== '-' && marker !== '\\') right += 1;
  }
  return undefined;
}

/** Finds a line by its position in the older API: the number of lines below the first hunk header. */
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
