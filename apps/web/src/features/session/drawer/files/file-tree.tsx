import { cx } from 'class-variance-authority';
import { ChevronRight, File, FileSymlink, Folder } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { formatBytes } from '../../../../ui/format.ts';
import { keyStep, mayOpen } from './tree.ts';
import type { FileRow } from './tree.ts';

interface FileTreeProps {
  readonly root: string;
  readonly rows: readonly FileRow[];
  readonly selected: string | null;
  readonly onSelect: (path: string) => void;
  readonly onToggle: (path: string) => void;
  readonly onKey: (key: string) => void;
}

/** A tree with one tab stop; arrow keys move inside it. */
export function FileTree({ root, rows, selected, onSelect, onToggle, onKey }: FileTreeProps) {
  const tree = useRef<HTMLDivElement>(null);
  const hasFocus = useRef(false);
  const stop = rows.some(({ path }) => path === selected) ? selected : rows[0]?.path;
  useEffect(() => {
    if (!hasFocus.current) return;
    tree.current?.querySelector<HTMLElement>('[role="treeitem"][tabindex="0"]')?.focus();
  }, [selected]);
  return (
    <div
      ref={tree}
      role="tree"
      aria-label={`Files in ${root}`}
      className="p-1 text-sm"
      onFocus={() => {
        hasFocus.current = true;
      }}
      onBlur={() => {
        hasFocus.current = false;
      }}
      onKeyDown={(event) => {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        const step = keyStep(rows, stop ?? undefined, event.key);
        if (step === null) return onKey(event.key);
        event.preventDefault();
        if ('focus' in step) onSelect(step.focus);
        else if ('toggle' in step) onToggle(step.toggle);
        else onSelect(step.choose);
      }}
    >
      {rows.map((row) => (
        <div
          key={row.path}
          role="treeitem"
          aria-level={row.level}
          aria-selected={row.path === selected}
          aria-expanded={mayOpen(row) ? row.isOpen : undefined}
          aria-busy={row.isLoading || undefined}
          tabIndex={row.path === stop ? 0 : -1}
          onClick={() => {
            onSelect(row.path);
            if (mayOpen(row)) onToggle(row.path);
          }}
          style={{ paddingLeft: `${row.level * 0.875 - 0.5}rem` }}
          className="flex h-7 cursor-pointer items-center gap-1.5 rounded-md pr-2 hover:bg-hover aria-selected:bg-accent-soft"
        >
          <ChevronRight
            aria-hidden
            className={cx(
              'size-3.5 shrink-0 text-faint transition-transform',
              row.isOpen && 'rotate-90',
              !mayOpen(row) && 'invisible',
            )}
          />
          <Icon kind={row.kind} />
          <span className="min-w-0 flex-1 truncate">{row.name}</span>
          {row.sizeBytes !== null && (
            <span className="shrink-0 text-xs text-muted">{formatBytes(row.sizeBytes)}</span>
          )}
        </div>
      ))}
    </div>
  );
}

function Icon({ kind }: Pick<FileRow, 'kind'>) {
  const Glyph = kind === 'folder' ? Folder : kind === 'link' ? FileSymlink : File;
  return <Glyph aria-hidden className="size-3.5 shrink-0 text-muted" />;
}
