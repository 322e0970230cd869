import { useMemo } from 'react';
import type { Language } from './language.ts';
import type { TokenLines } from './token-lines.ts';
import { useSeen } from './use-seen.ts';
import { useTokenLines } from './use-token-lines.ts';
import { Words } from './words.tsx';

interface CodeTextProps {
  readonly text: string;
  readonly language: Language | null;
}

/** A long file has tens of thousands of words: only those that somebody looks at are drawn one by one. */
const linesOfPart = 100;

/** A whole text, for a `pre`: plain at once, and in colours part by part. */
export function CodeText({ text, language }: CodeTextProps) {
  const tokens = useTokenLines(text, language, true);
  const parts = useMemo(() => partsOf(text), [text]);
  return parts.map((part, index) => <Part key={index} {...part} tokens={tokens} />);
}

interface TextPart {
  readonly first: number;
  readonly lines: readonly string[];
  readonly isLast: boolean;
}

function partsOf(text: string): readonly TextPart[] {
  const all = text.split('\n');
  const parts: TextPart[] = [];
  for (let first = 0; first < all.length; first += linesOfPart)
    parts.push({
      first,
      lines: all.slice(first, first + linesOfPart),
      isLast: first + linesOfPart >= all.length,
    });
  return parts;
}

function Part({ first, lines, isLast, tokens }: TextPart & { readonly tokens: TokenLines | null }) {
  const [ref, isSeen] = useSeen<HTMLSpanElement>();
  const end = isLast ? '' : '\n';
  return (
    <span ref={ref}>
      {tokens === null || !isSeen
        ? lines.join('\n') + end
        : lines.map((line, index) => (
            <span key={index}>
              <Words text={line} tokens={tokens[first + index]} />
              {index < lines.length - 1 ? '\n' : end}
            </span>
          ))}
    </span>
  );
}
