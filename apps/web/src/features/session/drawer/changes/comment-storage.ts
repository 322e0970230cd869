import type { ReviewComment } from './review.ts';

const keyOf = (sessionId: string) => `ship.comments.${sessionId}`;

/** Unsent review comments, kept for this tab. Unreadable ones are dropped. */
export function readComments(
  sessionId: string,
  storage: () => Pick<Storage, 'getItem'> = () => sessionStorage,
): readonly ReviewComment[] {
  try {
    const stored: unknown = JSON.parse(storage().getItem(keyOf(sessionId)) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isComment) : [];
  } catch {
    return [];
  }
}

export function writeComments(sessionId: string, comments: readonly ReviewComment[]): void {
  try {
    if (comments.length === 0) sessionStorage.removeItem(keyOf(sessionId));
    else sessionStorage.setItem(keyOf(sessionId), JSON.stringify(comments));
  } catch {
    // Storage may be denied; the comments are still on the screen.
  }
}

function isComment(value: unknown): value is ReviewComment {
  if (typeof value !== 'object' || value === null) return false;
  const { path, line, code, text } = value as Record<string, unknown>;
  return (
    typeof path === 'string' &&
    typeof line === 'number' &&
    typeof code === 'string' &&
    typeof text === 'string'
  );
}
