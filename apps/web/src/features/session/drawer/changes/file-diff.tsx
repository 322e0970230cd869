import type { FileDiff } from '@ship/protocol';
import { cx } from 'class-variance-authority';
import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { OpenInEditor } from '../editor/open-in-editor.tsx';
import { collapseReason } from './collapsed-files.ts';
import { DiffBody } from './diff-body.tsx';
import type { Layout } from './diff-body.tsx';
import { FileName } from './file-name.tsx';

interface FileDiffViewProps {
  readonly file: FileDiff;
  readonly layout: Layout;
}

export function FileDiffView({ file, layout }: FileDiffViewProps) {
  const [isOpen, setIsOpen] = useState(() => collapseReason(file) === null);
  const { path, status, hunks } = file;
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
          <FileName file={file} />
        </button>
        {status !== 'deleted' && <OpenInEditor path={path} line={hunks[0]?.newStart ?? 1} />}
      </div>
      {isOpen && <DiffBody file={file} layout={layout} />}
    </section>
  );
}
