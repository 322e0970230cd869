/** Proposes fixes in a source file for a failing test, the likeliest first. Pure. */
import type { Hint } from '../outcome.ts';
import { PATTERNS, type Pattern } from './patterns.ts';

export interface Candidate {
  file: string;
  /** 1-based. */
  line: number;
  why: string;
  oldLine: string;
  newLine: string;
  /** Text that occurs once in the file, for the edit tool. */
  before: string;
  after: string;
  score: number;
}

const COMMENT = /^\s*(\/\/|#|\*|\/\*|import\b|from\b|export \{)/;
const DEFINITION =
  /^\s*(?:export\s+)?(?:default\s+)?(?:async\s+)?(?:function\*?\s+|const\s+|let\s+|class\s+|def\s+)(\w+)/;

export function candidatesFor(
  file: string,
  source: string,
  called: ReadonlySet<string>,
  hint: Hint,
): Candidate[] {
  const lines = source.split('\n');
  const owners = ownersOf(lines);
  const candidates: Candidate[] = [];
  for (const [index, line] of lines.entries()) {
    if (COMMENT.test(line)) continue;
    const relevant = called.has(owners[index] ?? '');
    for (const [rank, pattern] of PATTERNS.entries()) {
      if (!pattern.find.test(line)) continue;
      const newLine = line.replace(pattern.find, pattern.replace);
      const context = uniqueContext(lines, index);
      candidates.push({
        file,
        line: index + 1,
        why: pattern.name,
        oldLine: line.trim(),
        newLine: newLine.trim(),
        before: context.join('\n'),
        after: [...context.slice(0, -1), newLine].join('\n'),
        score: scoreOf(pattern, hint, relevant) - rank / 100,
      });
    }
  }
  return candidates.sort((a, b) => b.score - a.score || a.line - b.line);
}

function scoreOf(pattern: Pattern, hint: Hint, relevant: boolean): number {
  return (
    (relevant ? 4 : 0) +
    (hint.direction === pattern.effect ? 4 : 0) +
    (hint.byOne && pattern.byOne ? 2 : 0)
  );
}

/** The top-level function or constant of each line. */
function ownersOf(lines: string[]): string[] {
  let owner = '';
  return lines.map((line) => {
    const defined = DEFINITION.exec(line);
    // A constant within a function does not end it; Python methods count separately.
    if (defined !== null && (!/^\s/.test(line) || /^\s*(async\s+)?def /.test(line))) {
      owner = defined[1] ?? '';
    }
    return owner;
  });
}

/** The line, with enough lines before it to be unique. */
function uniqueContext(lines: string[], index: number): string[] {
  const text = lines.join('\n');
  for (let from = index; from > 0; from--) {
    const context = lines.slice(from, index + 1);
    if (text.split(context.join('\n')).length === 2) return context;
  }
  return lines.slice(0, index + 1);
}
