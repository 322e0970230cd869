import { useQuery } from '@tanstack/react-query';
import type { SessionId } from '@ship/protocol';
import { cx } from 'class-variance-authority';
import { memo, useEffect, useMemo, useRef } from 'react';
import type { Ref } from 'react';
import { loadEditorApi } from '../../../../api/load.ts';
import { FailureNote } from '../../../../ui/notice.tsx';
import { Skeleton } from '../../../../ui/skeleton.tsx';
import { languageOfFile } from '../../../highlight/language.ts';
import { ChunkedRows } from '../../../highlight/chunked-rows.tsx';
import type { Token } from '../../../highlight/token-lines.ts';
import { useTokenLines } from '../../../highlight/use-token-lines.ts';
import { HighlightedLine } from '../../../highlight/highlighted-line.tsx';
import type { Target } from './target.ts';

/** A file of a megabyte has tens of thousands of lines: render only those around the requested one. */
const linesAround = 1000;

interface FileViewerProps {
  readonly sessionId: SessionId;
  readonly target: Target;
}

/** A read-only view of the current file, for when VS Code is not available. */
export function FileViewer({ sessionId, target }: FileViewerProps) {
  const { path, line } = target;
  const { data, error, refetch } = useQuery({
    queryKey: ['file-text', sessionId, path],
    queryFn: async ({ signal }) => (await loadEditorApi()).readFileText(sessionId, path, signal),
    gcTime: 0,
    retry: false,
  });
  const first = Math.max(0, line - linesAround);
  const lines = useMemo(
    () => (data ?? '').split('\n').slice(first, line + linesAround),
    [data, first, line],
  );
  const tokens = useTokenLines(lines.join('\n'), languageOfFile(path), true);
  const wanted = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    // Do not return the result: newer browsers return a promise here, which React would take for a cleanup function.
    wanted.current?.scrollIntoView({ block: 'center' });
  }, [data, line]);
  if (error !== null)
    return <FailureNote cause={error} onRetry={() => void refetch()} className="m-3" />;
  if (data === undefined) return <Skeleton className="m-3 h-40 rounded-lg" />;
  if (data === null) return <p className="p-4 text-sm text-muted">Binary file.</p>;
  return (
    <section aria-label={`${path}, read-only`} className="flex min-h-0 flex-1 flex-col">
      <h2 className="shrink-0 border-b border-line px-3 py-1.5 font-mono text-xs break-all">
        {path}:{line} <span className="font-sans text-muted">read-only</span>
      </h2>
      <div tabIndex={0} role="region" aria-label={path} className="min-h-0 flex-1 overflow-auto">
        <pre className="min-w-fit py-1 font-mono text-xs leading-5">
          <ChunkedRows
            rows={lines}
            renderRow={(text, index, isInView) => {
              const number = first + index + 1;
              return (
                <Line
                  key={number}
                  ref={number === line ? wanted : undefined}
                  number={number}
                  isWanted={number === line}
                  text={text}
                  tokens={isInView ? tokens?.[index] : undefined}
                />
              );
            }}
          />
        </pre>
      </div>
    </section>
  );
}

interface LineProps {
  readonly ref: Ref<HTMLSpanElement> | undefined;
  readonly number: number;
  readonly isWanted: boolean;
  readonly text: string;
  readonly tokens: readonly Token[] | undefined;
}

const Line = memo(({ ref, number, isWanted, text, tokens }: LineProps) => (
  <span ref={ref} className={cx('flex', isWanted && 'bg-accent-soft')}>
    <span className="w-12 shrink-0 pr-3 text-right text-faint tabular-nums select-none">
      {number}
    </span>
    <span className="pr-3 whitespace-pre">
      {text === '' ? ' ' : <HighlightedLine text={text} tokens={tokens} />}
    </span>
  </span>
));
