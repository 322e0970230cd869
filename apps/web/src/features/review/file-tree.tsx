import type { FileDiff } from '@ship/protocol';
import { cx } from 'class-variance-authority';
import { Check, Folder } from 'lucide-react';
import { useMemo } from 'react';
import { treeOf } from './tree.ts';
import { isViewed } from './viewed.ts';
import type { Viewed } from './viewed.ts';

interface FileTreeProps {
  readonly files: readonly FileDiff[];
  readonly viewed: Viewed;
  readonly currentPath: string | null;
  readonly onGo: (path: string) => void;
}

const marks: Readonly<
  Record<FileDiff['status'], { readonly letter: string; readonly tone: string }>
> = {
  added: { letter: 'A', tone: 'text-ok' },
  modified: { letter: 'M', tone: 'text-warn' },
  deleted: { letter: 'D', tone: 'text-bad' },
  renamed: { letter: 'R', tone: 'text-accent' },
  copied: { letter: 'C', tone: 'text-accent' },
  'type-changed': { letter: 'T', tone: 'text-warn' },
};
/** Deeper indents would leave no room for names. */
const indents = ['pl-3', 'pl-6', 'pl-9', 'pl-12', 'pl-15'] as const;
const indent = (depth: number) => indents[Math.min(depth, indents.length - 1)];

export function FileTree({ files, viewed, currentPath, onGo }: FileTreeProps) {
  const rows = useMemo(() => treeOf(files), [files]);
  return (
    <nav
      aria-label="Changed files"
      className="hidden w-64 shrink-0 overflow-y-auto border-r border-line py-2 lg:block"
    >
      <ul className="text-sm">
        {rows.map((row) =>
          row.kind === 'folder' ? (
            <li
              key={row.key}
              className={cx('flex h-7 items-center gap-1.5 pr-3 text-muted', indent(row.depth))}
            >
              <Folder aria-hidden className="size-3.5 shrink-0" />
              <span className="truncate" title={row.key}>
                {row.name}
              </span>
            </li>
          ) : (
            <li key={row.file.path}>
              <button
                type="button"
                title={row.file.path}
                aria-current={row.file.path === currentPath}
                onClick={() => onGo(row.file.path)}
                className={cx(
                  'flex h-7 w-full items-center gap-1.5 pr-3 text-left hover:bg-hover focus-visible:-outline-offset-2 aria-current:bg-hover',
                  indent(row.depth),
                )}
              >
                <span
                  aria-label={row.file.status}
                  className={cx(
                    'w-3.5 shrink-0 text-center font-mono text-xs',
                    marks[row.file.status].tone,
                  )}
                >
                  {marks[row.file.status].letter}
                </span>
                <span
                  className={cx(
                    'min-w-0 flex-1 truncate',
                    isViewed(viewed, row.file) && 'text-muted',
                  )}
                >
                  {row.name}
                </span>
                {isViewed(viewed, row.file) && (
                  <Check aria-label="viewed" className="size-3.5 shrink-0 text-ok" />
                )}
              </button>
            </li>
          ),
        )}
      </ul>
    </nav>
  );
}
