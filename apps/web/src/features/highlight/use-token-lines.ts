import { startTransition, useEffect, useMemo, useState } from 'react';
import { isWithinBounds } from './bounds.ts';
import { createHighlighter } from './highlighter.ts';
import type { Language } from './language.ts';
import type { TokenLines } from './token-lines.ts';
import { startWorkerReader } from './worker-reader.ts';

const highlighter = createHighlighter(startWorkerReader);

/** The tokens of a text by line; null while the text is plain. Highlighting is requested when the text is in view. */
export function useTokenLines(
  text: string,
  language: Language | null,
  isSeen: boolean,
): TokenLines | null {
  const question = useMemo(
    () => (language !== null && isWithinBounds(text) ? { language, text } : null),
    [language, text],
  );
  const known = useMemo(() => question && highlighter.known(question), [question]);
  const [answer, setAnswer] = useState<{ of: typeof question; lines: TokenLines | null }>();
  const isAsked = isSeen && question !== null && known === null;
  useEffect(() => {
    if (!isAsked) return undefined;
    let isGone = false;
    const ask = async () => {
      const lines = await highlighter.read(question);
      // Input and scrolling come first: colours are rendered in a transition.
      if (!isGone) startTransition(() => setAnswer({ of: question, lines }));
    };
    void ask();
    return () => {
      isGone = true;
    };
  }, [isAsked, question]);
  return known ?? (answer?.of === question ? answer.lines : null);
}
