import type { Kind } from './kinds.ts';
import type { Token } from './token-lines.ts';

const colours: Readonly<Record<Kind, string>> = {
  comment: 'text-code-comment',
  string: 'text-code-string',
  keyword: 'text-code-keyword',
  number: 'text-code-number',
  title: 'text-code-title',
  type: 'text-code-type',
  addition: 'text-code-addition',
  deletion: 'text-code-deletion',
};

interface HighlightedLineProps {
  readonly text: string;
  /** Undefined while unknown. */
  readonly tokens: readonly Token[] | undefined;
}

/** A line of code, highlighted if its tokens are known. */
export const HighlightedLine = ({ text, tokens }: HighlightedLineProps) =>
  tokens === undefined
    ? text
    : tokens.map(({ text: word, kind }, index) =>
        kind === null ? (
          word
        ) : (
          <span key={index} className={colours[kind]}>
            {word}
          </span>
        ),
      );
