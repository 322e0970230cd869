import type { DiffHunk } from '@ship/protocol';

const HEADER = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/;

/**
 * Parses the hunks of one file's patch from git or GitHub. It counts lines instead of recognizing headers: a removed line
 * "-- x" and an added line "++ x" look like headers.
 */
export function parseHunks(patch: string): DiffHunk[] {
  const lines = patch.split('\n');
  const hunks: DiffHunk[] = [];
  let i = 0;
  while (i < lines.length) {
    const match = HEADER.exec(lines[i] ?? '');
    i += 1;
    if (match === null) continue;
    const hunk: DiffHunk = {
      oldStart: Number(match[1]),
      oldLines: Number(match[2] ?? 1),
      newStart: Number(match[3]),
      newLines: Number(match[4] ?? 1),
      section: (match[5] ?? '').trimEnd(),
      lines: [],
    };
    let { oldLines, newLines } = hunk;
    while (i < lines.length) {
      const line = lines[i] ?? '';
      const mark = line[0];
      if (mark === '\\') {
        hunk.lines.push(line);
        i += 1;
        continue;
      }
      if (oldLines <= 0 && newLines <= 0) break;
      if (mark === '+') newLines -= 1;
      else if (mark === '-') oldLines -= 1;
      // Some tools strip the space of an empty context line.
      else if (mark === ' ' || mark === undefined) {
        oldLines -= 1;
        newLines -= 1;
      } else break;
      hunk.lines.push(mark === undefined ? ' ' : line);
      i += 1;
    }
    hunks.push(hunk);
  }
  return hunks;
}
