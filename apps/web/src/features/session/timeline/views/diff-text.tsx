import { useState } from 'react';
import { Button } from '../../../../ui/button.tsx';
import { diffLines } from './diff-lines.ts';
import type { DiffLine } from './diff-lines.ts';

const styles: Readonly<Record<DiffLine['kind'], string>> = {
  head: 'text-faint',
  hunk: 'bg-accent-soft text-accent',
  added: 'bg-ok-soft text-ok',
  removed: 'bg-bad-soft text-bad',
  same: 'text-muted',
};

const shownAtFirst = 200;

export function DiffText({ diff }: { readonly diff: string }) {
  const [isWhole, setIsWhole] = useState(false);
  const all = diffLines(diff).filter(
    ({ kind, text }) => kind !== 'head' || !/^(Index: |=+$)/.test(text),
  );
  const lines = isWhole ? all : all.slice(0, shownAtFirst);
  return (
    <div className="overflow-hidden rounded-lg border border-line bg-surface">
      <div
        role="region"
        aria-label="Changes"
        tabIndex={0}
        className="max-h-96 overflow-auto py-1 font-mono text-xs leading-5"
      >
        <pre className="min-w-fit">
          {lines.map(({ kind, text }, index) => (
            <span key={index} className={`block px-3 whitespace-pre ${styles[kind]}`}>
              {text === '' ? ' ' : text}
            </span>
          ))}
        </pre>
      </div>
      {all.length > lines.length && (
        <Button variant="ghost" className="m-1" onClick={() => setIsWhole(true)}>
          Show {all.length - lines.length} more lines
        </Button>
      )}
    </div>
  );
}
