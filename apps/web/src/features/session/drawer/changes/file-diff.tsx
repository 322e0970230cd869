import type { FileDiff } from '@ship/protocol';
import { cx } from 'class-variance-authority';
import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { ChangedLines } from '../../../sessions/session-facts.tsx';
import { numberLines, pairLines } from './lines.ts';
import type { NumberedLine } from './lines.ts';

export type Layout = 'unified' | 'split';

interface FileDiffViewProps {
  readonly file: FileDiff;
  readonly layout: Layout;
}

const statusWords: Readonly<Record<FileDiff['status'], string>> = {
  added: 'added',
  modified: '',
  deleted: 'deleted',
  renamed: 'renamed',
  copied: 'copied',
  'type-changed': 'another type',
};

/** Long files open on demand: a generated one must not hold up the rest. */
const openedUpTo = 400;

export function FileDiffView({ file, layout }: FileDiffViewProps) {
  const [isOpen, setIsOpen] = useState(file.additions + file.deletions <= openedUpTo);
  const { path, previousPath, status, additions, deletions, hunks, omitted } = file;
  return (
    <section aria-label={path} className="border-b border-line">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
        className="sticky top-0 z-10 flex min-h-9 w-full items-center gap-2 border-b border-line bg-canvas px-3 py-1 text-left text-sm hover:bg-hover"
      >
        <ChevronRight
          aria-hidden
          className={cx('size-3.5 shrink-0 text-faint transition-transform', isOpen && 'rotate-90')}
        />
        <span className="min-w-0 flex-1 font-mono text-xs break-all">
          {previousPath !== null && previousPath !== path && (
            <span className="text-muted">{previousPath} → </span>
          )}
          {path}
        </span>
        <span className="text-xs text-muted">{statusWords[status]}</span>
        <ChangedLines additions={additions} deletions={deletions} />
      </button>
      {isOpen && omitted !== null && (
        <p className="px-4 py-3 text-sm text-muted">
          {omitted === 'binary' ? 'A binary file.' : 'Too large to show here.'}
        </p>
      )}
      {isOpen && hunks.length > 0 && (
        <div
          role="region"
          aria-label={`Changes of ${path}`}
          tabIndex={0}
          className="overflow-x-auto font-mono text-xs leading-5 focus-visible:-outline-offset-2"
        >
          {hunks.map((hunk) => (
            <div key={`${hunk.oldStart}:${hunk.newStart}`} className="min-w-fit">
              <p className="bg-accent-soft px-3 text-accent">
                @@ {hunk.oldStart} → {hunk.newStart} {hunk.section}
              </p>
              {layout === 'split' ? (
                <SplitLines lines={numberLines(hunk)} />
              ) : (
                numberLines(hunk).map((line, index) => <UnifiedLine key={index} line={line} />)
              )}
            </div>
          ))}
        </div>
      )}
    </section>
  );
}

const tones: Readonly<Record<NumberedLine['kind'], string>> = {
  added: 'bg-ok-soft',
  removed: 'bg-bad-soft',
  same: '',
  note: 'text-faint',
};
const signs = { added: '+', removed: '−', same: ' ', note: ' ' } as const;
const number = 'w-10 shrink-0 pr-2 text-right text-faint select-none tabular-nums';

const UnifiedLine = ({ line }: { readonly line: NumberedLine }) => (
  <div className={cx('flex', tones[line.kind])}>
    <span className={number}>{line.oldNumber}</span>
    <span className={number}>{line.newNumber}</span>
    <Code line={line} />
  </div>
);

const SplitLines = ({ lines }: { readonly lines: readonly NumberedLine[] }) => (
  <div className="grid grid-cols-2">
    {pairLines(lines).map(({ left, right }, index) => (
      <div key={index} className="contents">
        <div className={cx('flex min-w-0', left !== null && tones[left.kind])}>
          <span className={number}>{left?.oldNumber}</span>
          {left !== null && <Code line={left} />}
        </div>
        <div
          className={cx('flex min-w-0 border-l border-line', right !== null && tones[right.kind])}
        >
          <span className={number}>{right?.newNumber}</span>
          {right !== null && <Code line={right} />}
        </div>
      </div>
    ))}
  </div>
);

const words = { added: 'added: ', removed: 'removed: ', same: '', note: '' } as const;

const Code = ({ line: { kind, text } }: { readonly line: NumberedLine }) => (
  <span className="min-w-0 flex-1 pr-3 whitespace-pre">
    <span aria-hidden className="inline-block w-4 text-center text-muted select-none">
      {signs[kind]}
    </span>
    <span className="sr-only">{words[kind]}</span>
    {text}
  </span>
);
