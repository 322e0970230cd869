/** The part of the text at the caret that suggestions are for. */
export interface Token {
  readonly kind: 'command' | 'mention' | 'model';
  readonly query: string;
  /** The range that a chosen suggestion replaces. */
  readonly start: number;
  readonly end: number;
}

const patterns = [
  { kind: 'command', pattern: /^\/([a-z-]*)$/i, skip: 0 },
  { kind: 'model', pattern: /^\/model\s+(\S*)$/i, skip: 0 },
  { kind: 'mention', pattern: /(?:^|\s)@([^\s@]*)$/, skip: 1 },
] as const;

export function tokenAt(text: string, caret: number): Token | null {
  const before = text.slice(0, caret);
  for (const { kind, pattern, skip } of patterns) {
    const query = pattern.exec(before)?.[1];
    if (query !== undefined)
      return {
        kind,
        query,
        start: kind === 'mention' ? caret - query.length - skip : 0,
        end: caret,
      };
  }
  return null;
}

/** Replaces the token; returns the new text and caret position. */
export function replaceToken(
  text: string,
  { start, end }: Token,
  chosen: string,
): { readonly text: string; readonly caret: number } {
  const head = `${text.slice(0, start)}${chosen} `;
  return { text: head + text.slice(end).trimStart(), caret: head.length };
}
