import { startTransition, useEffect, useMemo, useState } from 'react';
import { isWithinBounds } from './bounds.ts';
import { createHighlighter } from './highlighter.ts';
import type { Language } from './language.ts';
import type { TokenLines } from './token-lines.ts';
import { startWorkerTokenizer } from './worker-tokenizer.ts';

const highlighter = createHighlighter(startWorkerTokenizer);

/** The tokens of a text by line; null while the text is plain. Highlighting is requested when the text is in view. */
export function useTokenLines(
  text: string,
  language: Language | null,
  isInView: boolean,
): TokenLines | null {
  const request = useMemo(
    () => (language !== null && isWithinBounds(text) ? { language, text } : null),
    [language, text],
  );
  const cached = useMemo(() => request && highlighter.cached(request), [request]);
  const [answer, setAnswer] = useState<{ of: typeof request; lines: TokenLines | null }>();
  const isRequested = isInView && request !== null && cached === null;
  useEffect(() => {
    if (!isRequested) return undefined;
    let isCancelled = false;
    const load = async () => {
      const lines = await highlighter.tokenize(request);
      // Input and scrolling come first: colours are rendered in a transition.
      if (!isCancelled) startTransition(() => setAnswer({ of: request, lines }));
    };
    void load();
    return () => {
      isCancelled = true;
    };
  }, [isRequested, request]);
  return cached ?? (answer?.of === request ? answer.lines : null);
}
