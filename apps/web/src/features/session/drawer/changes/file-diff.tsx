import type { FileDiff } from '@ship/protocol';
import { cx } from 'class-variance-authority';
import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { closedBecause } from './closed-files.ts';
import { DiffBody } from './diff-body.tsx';
import type { Layout } from './diff-body.tsx';
import { FileName } from './file-name.tsx';

interface FileDiffViewProps {
  readonly file: FileDiff;
  readonly layout: Layout;
}

export function FileDiffView({ file, layout }: FileDiffViewProps) {
  const [isOpen, setIsOpen] = useState(() => closedBecause(file) === null);

  return (
    <section aria-label={file.path} className="border-b border-line">
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
        <FileName file={file} />
      </button>
      {isOpen && <DiffBody file={file} layout={layout} />}
    </section>
  );
}
