export interface ReviewComment {
  readonly path: string;
  /** On the new side of the diff. */
  readonly line: number;
  /** The content of the line, so that the agent finds it even if line numbers have shifted. */
  readonly code: string;
  readonly text: string;
}

const fence = (code: string) => {
  const ticks = '`'.repeat(Math.max(1, longestRun(code) + 1));
  const space = code.startsWith('`') || code.endsWith('`') ? ' ' : '';
  return `${ticks}${space}${code}${space}${ticks}`;
};
const longestRun = (code: string) =>
  Math.max(0, ...[...code.matchAll(/`+/g)].map(([run]) => run.length));

/** Composes all comments of a review into one prompt, by file and line: one turn instead of many. */
export function composeReview(comments: readonly ReviewComment[]): string {
  const sorted = comments.toSorted((a, b) => a.path.localeCompare(b.path) || a.line - b.line);
  const parts = sorted.map(
    ({ path, line, code, text }) => `${path}:${line} ${fence(code.trim())}\n${text.trim()}`,
  );
  const many = comments.length === 1 ? 'a comment' : `${comments.length} comments`;
  return `I reviewed your changes and have ${many}. Please address them.\n\n${parts.join('\n\n')}`;
}
