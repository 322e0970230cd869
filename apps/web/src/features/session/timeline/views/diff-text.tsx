import { cx } from 'class-variance-authority';
import { useMemo, useState } from 'react';
import { Button } from '../../../../ui/button.tsx';
import { languageOfFile } from '../../../highlight/language.ts';
import { useHunkTokens } from '../../../highlight/use-hunk-tokens.ts';
import { useInViewOnce } from '../../../highlight/use-in-view-once.ts';
import { HighlightedLine } from '../../../highlight/highlighted-line.tsx';
import { diffParts } from './diff-lines.ts';
import type { DiffLine, DiffPart } from './diff-lines.ts';

const styles: Readonly<Record<DiffLine['kind'], string>> = {
  head: 'text-faint',
  hunk: 'bg-accent-soft text-accent',
  added: 'bg-ok-soft',
  removed: 'bg-bad-soft',
  same: '',
  note: 'text-faint',
};
const signStyles = { '+': 'text-ok', '-': 'text-bad', ' ': '', '': '' } as const;

const initialLines = 200;

export function DiffText({ diff }: { readonly diff: string }) {
  const [isWhole, setIsWhole] = useState(false);
  const parts = useMemo(() => diffParts(diff), [diff]);
  const lineCount = parts.reduce((sum, { lines }) => sum + lines.length, 0);
  let room = isWhole ? lineCount : initialLines;
  const hidden = Math.max(0, lineCount - room);
  return (
    <div className="overflow-hidden rounded-lg border border-line bg-surface">
      <div
        role="region"
        aria-label="Changes"
        tabIndex={0}
        className="max-h-96 overflow-auto py-1 font-mono text-xs leading-5"
      >
        <pre className="min-w-fit">
          {parts.map((part, index) => {
            const shown = Math.min(room, part.lines.length);
            room -= shown;
            return shown > 0 && <PartView key={index} part={part} shown={shown} />;
          })}
        </pre>
      </div>
      {hidden > 0 && (
        <Button variant="ghost" className="m-1" onClick={() => setIsWhole(true)}>
          Show {hidden} more lines
        </Button>
      )}
    </div>
  );
}

interface PartViewProps {
  readonly part: DiffPart;
  /** The number of visible lines. */
  readonly shown: number;
}

function PartView({ part: { path, lines }, shown }: PartViewProps) {
  const [ref, isInView] = useInViewOnce<HTMLSpanElement>();
  const tokens = useHunkTokens(lines, languageOfFile(path), isInView);
  return (
    <span ref={ref} className="block">
      {lines.slice(0, shown).map((line, index) => (
        <span key={index} className={cx('block px-3 whitespace-pre', styles[line.kind])}>
          {line.sign !== '' && <span className={signStyles[line.sign]}>{line.sign}</span>}
          {line.sign === '' && line.text === '' ? (
            ' '
          ) : (
            <HighlightedLine text={line.text} tokens={tokens.newest(line)} />
          )}
        </span>
      ))}
    </span>
  );
}
