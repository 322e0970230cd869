import type { DiffHunk, FileDiff } from '@ship/protocol';
import { cx } from 'class-variance-authority';
import { memo, useMemo, useState } from 'react';
import type { KeyboardEvent } from 'react';
import { languageOfFile } from '../../../highlight/language.ts';
import { ChunkedRows } from '../../../highlight/chunked-rows.tsx';
import type { Token } from '../../../highlight/token-lines.ts';
import { useHunkTokens } from '../../../highlight/use-hunk-tokens.ts';
import type { HunkTokens } from '../../../highlight/use-hunk-tokens.ts';
import { useInViewOnce } from '../../../highlight/use-in-view-once.ts';
import { HighlightedLine } from '../../../highlight/highlighted-line.tsx';
import { numberLines, pairLines } from './lines.ts';
import { LineComments } from './line-comments.tsx';
import type { LinePair, NumberedLine } from './lines.ts';

export type Layout = 'unified' | 'split';

interface DiffBodyProps {
  readonly file: FileDiff;
  readonly layout: Layout;
}

const reasons = {
  binary: 'Binary file.',
  'too-large': 'Too large to show here.',
} as const;

/** The diff of one file. Arrow keys move between line numbers. */
export const DiffBody = ({ file: { path, hunks, omitted, status }, layout }: DiffBodyProps) => (
  <>
    {omitted !== null && <p className="px-4 py-3 text-sm text-muted">{reasons[omitted]}</p>}
    {omitted === null && hunks.length === 0 && (
      <p className="px-4 py-3 text-sm text-muted">
        {status === 'renamed' ? 'Renamed without changes.' : 'No content.'}
      </p>
    )}
    {hunks.length > 0 && (
      <div
        role="region"
        aria-label={`Changes in ${path}`}
        tabIndex={0}
        onKeyDown={goToNextNumber}
        className="@container overflow-x-auto font-mono text-xs leading-5 focus-visible:-outline-offset-2"
      >
        {hunks.map((hunk) => (
          <Hunk key={`${hunk.oldStart}:${hunk.newStart}`} path={path} hunk={hunk} layout={layout} />
        ))}
      </div>
    )}
  </>
);

interface HunkProps {
  readonly path: string;
  readonly hunk: DiffHunk;
  readonly layout: Layout;
}

function Hunk({ path, hunk, layout }: HunkProps) {
  const [ref, isInView] = useInViewOnce<HTMLDivElement>();
  const lines = useMemo(() => numberLines(hunk), [hunk]);
  const tokens = useHunkTokens(lines, languageOfFile(path), isInView);
  return (
    <div ref={ref} className="@2xl:min-w-fit">
      <p className="bg-accent-soft px-3 text-accent">
        @@ {hunk.oldStart} → {hunk.newStart} {hunk.section}
      </p>
      {layout === 'split' ? (
        <SplitLines path={path} lines={lines} tokens={tokens} />
      ) : (
        <ChunkedRows
          rows={lines}
          renderRow={(line, index, isRowInView) => (
            <UnifiedLine
              key={index}
              path={path}
              line={line}
              tokens={isRowInView ? tokens.newest(line) : undefined}
            />
          )}
        />
      )}
    </div>
  );
}

function goToNextNumber(event: KeyboardEvent<HTMLElement>): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (step === 0 || !(event.target instanceof HTMLElement) || !event.target.matches(lineButton))
    return;
  const all = [...event.currentTarget.querySelectorAll<HTMLElement>(lineButton)];
  const next = all[all.indexOf(event.target) + step];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}

/** Matches the comment buttons of lines; `[data-line="added"]` matches those of added lines. */
const lineButton = '[data-line]';

const tones: Readonly<Record<NumberedLine['kind'], string>> = {
  added: 'bg-ok-soft',
  removed: 'bg-bad-soft',
  same: '',
  note: 'text-faint',
};
const signs = { added: '+', removed: '−', same: ' ', note: ' ' } as const;
const number = 'w-10 shrink-0 pr-2 text-right text-faint select-none tabular-nums';

type Tokens = readonly Token[] | undefined;

interface UnifiedLineProps {
  readonly path: string;
  readonly line: NumberedLine;
  readonly tokens: Tokens;
}

const UnifiedLine = memo(({ path, line, tokens }: UnifiedLineProps) => {
  const [isWriting, setIsWriting] = useState(false);
  return (
    <>
      <div className={cx('flex', tones[line.kind])}>
        <span className={number}>{line.oldNumber}</span>
        <NewNumber line={line} onComment={() => setIsWriting(true)} />
        <Code line={line} tokens={tokens} />
      </div>
      {line.newNumber !== null && (
        <LineComments
          path={path}
          line={line.newNumber}
          code={line.text}
          isWriting={isWriting}
          onDone={() => setIsWriting(false)}
        />
      )}
    </>
  );
});

interface SplitLinesProps {
  readonly path: string;
  readonly lines: readonly NumberedLine[];
  readonly tokens: HunkTokens;
}

function SplitLines({ path, lines, tokens }: SplitLinesProps) {
  const pairs = useMemo(() => pairLines(lines), [lines]);
  return (
    <ChunkedRows
      rows={pairs}
      className="grid grid-cols-2"
      renderRow={({ left, right }, index, isRowInView) => (
        <SplitLine
          key={index}
          path={path}
          left={left}
          right={right}
          leftTokens={isRowInView && left !== null ? tokens.before(left) : undefined}
          rightTokens={isRowInView && right !== null ? tokens.now(right) : undefined}
        />
      )}
    />
  );
}

interface SplitLineProps extends LinePair {
  readonly path: string;
  readonly leftTokens: Tokens;
  readonly rightTokens: Tokens;
}

const SplitLine = memo(({ path, left, right, leftTokens, rightTokens }: SplitLineProps) => {
  const [isWriting, setIsWriting] = useState(false);
  return (
    <>
      <div className={cx('flex min-w-0', left !== null && tones[left.kind])}>
        <span className={number}>{left?.oldNumber}</span>
        {left !== null && <Code line={left} tokens={leftTokens} isWrapped />}
      </div>
      <div className={cx('flex min-w-0 border-l border-line', right !== null && tones[right.kind])}>
        {right === null ? (
          <span className={number} />
        ) : (
          <>
            <NewNumber line={right} onComment={() => setIsWriting(true)} />
            <Code line={right} tokens={rightTokens} isWrapped />
          </>
        )}
      </div>
      {right !== null && right.newNumber !== null && (
        <div className="col-span-2">
          <LineComments
            path={path}
            line={right.newNumber}
            code={right.text}
            isWriting={isWriting}
            onDone={() => setIsWriting(false)}
          />
        </div>
      )}
    </>
  );
});

interface NewNumberProps {
  readonly line: NumberedLine;
  readonly onComment: () => void;
}

/** The new line number is the button that comments on the line. */
const NewNumber = ({ line, onComment }: NewNumberProps) =>
  line.newNumber === null ? (
    <span className={number} />
  ) : (
    <button
      type="button"
      aria-label={`Comment on line ${line.newNumber}`}
      title="Comment on this line"
      onClick={onComment}
      data-line={line.kind}
      className={`${number} flex items-start justify-end hover:bg-accent-soft hover:text-accent`}
    >
      {line.newNumber}
    </button>
  );

const words = { added: 'added: ', removed: 'removed: ', same: '', note: '' } as const;

interface CodeProps {
  readonly line: NumberedLine;
  readonly tokens: Tokens;
  /** In split layout there is no room to scroll: a long line would overlap its neighbour. */
  readonly isWrapped?: boolean;
}

const Code = ({ line: { kind, text }, tokens, isWrapped = false }: CodeProps) => (
  <span
    className={cx(
      'min-w-0 flex-1 pr-3 pl-4 -indent-4',
      isWrapped
        ? 'break-words whitespace-pre-wrap'
        : // On narrow screens half of every line would be out of view.
          'whitespace-pre @max-2xl:break-words @max-2xl:whitespace-pre-wrap',
    )}
  >
    <span aria-hidden className="inline-block w-4 indent-0 text-center text-muted select-none">
      {signs[kind]}
    </span>
    <span className="sr-only">{words[kind]}</span>
    <HighlightedLine text={text} tokens={tokens} />
  </span>
);
