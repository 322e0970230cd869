import { Fragment, useMemo } from 'react';
import type { Language } from './language.ts';
import { type RowChunk, chunksOf } from './chunks.ts';
import type { TokenLines } from './token-lines.ts';
import { useInViewOnce } from './use-in-view-once.ts';
import { useTokenLines } from './use-token-lines.ts';
import { HighlightedLine } from './highlighted-line.tsx';

interface CodeTextProps {
  readonly text: string;
  readonly language: Language | null;
}

/** A whole text for a `pre`: plain at first, then highlighted chunk by chunk. */
export function CodeText({ text, language }: CodeTextProps) {
  const tokens = useTokenLines(text, language, true);
  const chunks = useMemo(() => chunksOf(text.split('\n')), [text]);
  return chunks.map((chunk, index) => (
    <Chunk
      key={chunk.first}
      {...chunk}
      tokens={tokens}
      end={index < chunks.length - 1 ? '\n' : ''}
    />
  ));
}

interface ChunkProps extends RowChunk<string> {
  readonly tokens: TokenLines | null;
  readonly end: string;
}

function Chunk({ first, rows, tokens, end }: ChunkProps) {
  const [ref, isInView] = useInViewOnce<HTMLSpanElement>(first === 0);
  return (
    <span ref={ref}>
      {tokens === null || !isInView
        ? rows.join('\n') + end
        : rows.map((line, index) => (
            <Fragment key={index}>
              <HighlightedLine text={line} tokens={tokens[first + index]} />
              {index < rows.length - 1 ? '\n' : end}
            </Fragment>
          ))}
    </span>
  );
}
