import type { FileDiff } from '@ship/protocol';
import { cx } from 'class-variance-authority';
import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { ChangedLines } from '../../../sessions/session-facts.tsx';
import { OpenInEditor } from '../editor/open-in-editor.tsx';
import { numberLines, pairLines } from './lines.ts';
import { LineComments } from './line-comments.tsx';
import type { LinePair, NumberedLine } from './lines.ts';

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
      <div className="sticky top-0 z-10 flex items-center border-b border-line bg-canvas">
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setIsOpen(!isOpen)}
          className="flex min-h-9 min-w-0 flex-1 items-center gap-2 px-3 py-1 text-left text-sm hover:bg-hover"
        >
          <ChevronRight
            aria-hidden
            className={cx(
              'size-3.5 shrink-0 text-faint transition-transform',
              isOpen && 'rotate-90',
            )}
          />
          <span className="min-w-0 flex-1 font-mono text-xs break-all">
            {previousPath !== null && previousPath !== path && (
              <span className="text-muted">{previousPath} → </span>
            )}
            {path}
          </span>
          <span className="text-xs text-muted">{statusWords[status]}</span>
          {additions + deletions > 0 && (
            <ChangedLines additions={additions} deletions={deletions} />
          )}
        </button>
        {status !== 'deleted' && <OpenInEditor path={path} line={hunks[0]?.newStart ?? 1} />}
      </div>
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
                <SplitLines path={path} lines={numberLines(hunk)} />
              ) : (
                numberLines(hunk).map((line, index) => (
                  <UnifiedLine key={index} path={path} line={line} />
                ))
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

interface LineProps {
  readonly path: string;
  readonly line: NumberedLine;
}

function UnifiedLine({ path, line }: LineProps) {
  const [isWriting, setIsWriting] = useState(false);
  return (
    <>
      <div className={cx('flex', tones[line.kind])}>
        <span className={number}>{line.oldNumber}</span>
        <NewNumber line={line} onComment={() => setIsWriting(true)} />
        <Code line={line} />
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
}

interface SplitLinesProps {
  readonly path: string;
  readonly lines: readonly NumberedLine[];
}

const SplitLines = ({ path, lines }: SplitLinesProps) => (
  <div className="grid grid-cols-2">
    {pairLines(lines).map(({ left, right }, index) => (
      <SplitLine key={index} path={path} left={left} right={right} />
    ))}
  </div>
);

function SplitLine({ path, left, right }: LinePair & { readonly path: string }) {
  const [isWriting, setIsWriting] = useState(false);
  return (
    <>
      <div className={cx('flex min-w-0', left !== null && tones[left.kind])}>
        <span className={number}>{left?.oldNumber}</span>
        {left !== null && <Code line={left} />}
      </div>
      <div className={cx('flex min-w-0 border-l border-line', right !== null && tones[right.kind])}>
        {right === null ? (
          <span className={number} />
        ) : (
          <>
            <NewNumber line={right} onComment={() => setIsWriting(true)} />
            <Code line={right} />
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
}

interface NewNumberProps {
  readonly line: NumberedLine;
  readonly onComment: () => void;
}

/** The number of a line that is there now is the button to comment on it. */
const NewNumber = ({ line, onComment }: NewNumberProps) =>
  line.newNumber === null ? (
    <span className={number} />
  ) : (
    <button
      type="button"
      aria-label={`Comment on line ${line.newNumber}`}
      title="Comment on this line"
      onClick={onComment}
      className={`${number} hover:bg-accent-soft hover:text-accent`}
    >
      {line.newNumber}
    </button>
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
