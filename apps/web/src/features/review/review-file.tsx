import type { FileDiff } from '@ship/protocol';
import { cx } from 'class-variance-authority';
import { ChevronRight } from 'lucide-react';
import { collapseReason } from '../session/drawer/changes/collapsed-files.ts';
import { DiffBody } from '../session/drawer/changes/diff-body.tsx';
import { FileName } from '../session/drawer/changes/file-name.tsx';
import type { Layout } from '../session/drawer/changes/diff-body.tsx';

interface ReviewFileProps {
  readonly file: FileDiff;
  readonly layout: Layout;
  readonly isOpen: boolean;
  readonly isViewed: boolean;
  readonly onOpen: (isOpen: boolean) => void;
  readonly onViewed: (isViewed: boolean) => void;
  readonly onFocus: () => void;
}

const notes = {
  generated: 'Generated',
  large: 'Large',
} as const;

export function ReviewFile({ file, layout, isOpen, isViewed, ...on }: ReviewFileProps) {
  const reason = collapseReason(file);
  return (
    <section
      aria-label={file.path}
      data-file={file.path}
      onFocus={on.onFocus}
      className="scroll-mt-12 border-b border-line"
    >
      <div className="z-10 flex items-center bg-canvas md:sticky md:top-12">
        <button
          type="button"
          data-file-toggle
          aria-expanded={isOpen}
          onClick={() => on.onOpen(!isOpen)}
          className={cx(
            'flex min-h-10 min-w-0 flex-1 items-center gap-2 px-3 py-1 text-left text-sm hover:bg-hover focus-visible:-outline-offset-2',
            isViewed && 'text-muted',
          )}
        >
          <ChevronRight
            aria-hidden
            className={cx(
              'size-3.5 shrink-0 text-faint transition-transform',
              isOpen && 'rotate-90',
            )}
          />
          <FileName file={file} />
        </button>
        {reason !== null && (
          <span className="shrink-0 rounded bg-hover px-1.5 text-xs leading-5 text-muted max-sm:hidden">
            {notes[reason]}
          </span>
        )}
        <label className="flex h-10 shrink-0 cursor-pointer items-center gap-1.5 px-3 text-xs text-muted hover:text-ink">
          <input
            type="checkbox"
            checked={isViewed}
            onChange={(event) => on.onViewed(event.target.checked)}
            aria-label={`Viewed: ${file.path}`}
            className="size-3.5 accent-(--brand)"
          />
          <span aria-hidden>Viewed</span>
        </label>
      </div>
      {isOpen && (
        <div className="border-t border-line">
          <DiffBody file={file} layout={layout} />
        </div>
      )}
    </section>
  );
}
