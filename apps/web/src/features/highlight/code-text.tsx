import { Fragment, useMemo } from 'react';
import type { Language } from './language.ts';
import { type RowsPart, partsOf } from './parts.ts';
import type { TokenLines } from './token-lines.ts';
import { useSeen } from './use-seen.ts';
import { useTokenLines } from './use-token-lines.ts';
import { Words } from './words.tsx';

interface CodeTextProps {
  readonly text: string;
  readonly language: Language | null;
}

/** A whole text for a `pre`: plain at first, then highlighted chunk by chunk. */
export function CodeText({ text, language }: CodeTextProps) {
  const tokens = useTokenLines(text, language, true);
  const parts = useMemo(() => partsOf(text.split('\n')), [text]);
  return parts.map((part, index) => (
    <Part key={part.first} {...part} tokens={tokens} end={index < parts.length - 1 ? '\n' : ''} />
  ));
}

interface PartProps extends RowsPart<string> {
  readonly tokens: TokenLines | null;
  readonly end: string;
}

function Part({ first, rows, tokens, end }: PartProps) {
  const [ref, isSeen] = useSeen<HTMLSpanElement>(first === 0);
  return (
    <span ref={ref}>
      {tokens === null || !isSeen
        ? rows.join('\n') + end
        : rows.map((line, index) => (
            <Fragment key={index}>
              <Words text={line} tokens={tokens[first + index]} />
              {index < rows.length - 1 ? '\n' : end}
            </Fragment>
          ))}
    </span>
  );
}
