import { useMemo } from 'react';
import { type HunkLine, type Side, hunkSides } from './hunk-sides.ts';
import type { Language } from './language.ts';
import type { Token, TokenLines } from './token-lines.ts';
import { useTokenLines } from './use-token-lines.ts';

type LookUp = (line: HunkLine) => readonly Token[] | undefined;

export interface HunkTokens {
  readonly before: LookUp;
  readonly now: LookUp;
  /** For layouts that show each line once: the new side, else the old side. */
  readonly newest: LookUp;
}

/** The tokens of a hunk's lines, keyed by line object identity. */
export function useHunkTokens(
  lines: readonly HunkLine[],
  language: Language | null,
  isInView: boolean,
): HunkTokens {
  const sides = useMemo(() => hunkSides(lines), [lines]);
  const beforeTokens = useTokenLines(sides.before.text, language, isInView);
  const nowTokens = useTokenLines(sides.now.text, language, isInView);
  const before = lookUpIn(sides.before, beforeTokens);
  const now = lookUpIn(sides.now, nowTokens);
  return { before, now, newest: (line) => now(line) ?? before(line) };
}

const lookUpIn =
  ({ places }: Side, tokens: TokenLines | null): LookUp =>
  (line) =>
    tokens?.[places.get(line) ?? -1];
