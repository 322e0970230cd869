import { cx } from 'class-variance-authority';
import { CornerLeftUp, FolderPlus, FolderTree, RefreshCw, Upload } from 'lucide-react';
import { useRef, useState } from 'react';
import { Button } from '../../../../ui/button.tsx';
import { Confirm } from '../../../../ui/confirm.tsx';
import { Empty, FailureNote } from '../../../../ui/notice.tsx';
import { Skeleton } from '../../../../ui/skeleton.tsx';
import type { PaneProps } from '../panes.ts';
import { SandboxUnavailable } from '../sandbox-unavailable.tsx';
import { FileTree } from './file-tree.tsx';
import { NameDialog } from './name-dialog.tsx';
import { Preview } from './preview.tsx';
import { childOf, mayOpen, nameOf, parentOf } from './tree.ts';
import { useFiles } from './use-files.ts';

type OpenDialog = 'rename' | 'remove' | 'folder' | null;

/** Browses, downloads, uploads, renames and deletes files of the sandbox. */
export default function FilesPane({ feed, isShown }: PaneProps) {
  const { sessionId, sandbox } = feed.state;
  const isUnavailable = sandbox.status !== 'running';
  const files = useFiles(sessionId, isShown && !isUnavailable);
  const [selected, setSelected] = useState<string | null>(null);
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const [isDragOver, setIsDragOver] = useState(false);
  const picker = useRef<HTMLInputElement>(null);
  const { root, rows } = files;
  const row = rows.find(({ path }) => path === selected);
  // New files go into the selected folder, or beside the selected file.
  const folder = row === undefined ? root : mayOpen(row) ? row.path : parentOf(row.path);
  const uploadAll = (list: FileList | null) => {
    if (list !== null && list.length > 0 && folder !== null)
      files.upload({ files: [...list], folder });
  };
  return (
    <div
      className="relative flex min-h-0 flex-1 flex-col"
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes('Files')) return;
        event.preventDefault();
        setIsDragOver(true);
      }}
      onDragLeave={() => setIsDragOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setIsDragOver(false);
        uploadAll(event.dataTransfer.files);
      }}
    >
      <div className="flex shrink-0 items-center gap-1 border-b border-line px-2 py-1">
        <Button
          variant="ghost"
          size="icon"
          aria-label="Parent folder"
          title="Parent folder"
          disabled={root === null || root === '/'}
          onClick={() => root !== null && files.goTo(parentOf(root))}
        >
          <CornerLeftUp aria-hidden />
        </Button>
        <span className="min-w-0 flex-1 truncate font-mono text-xs text-muted" title={root ?? ''}>
          {root ?? ''}
        </span>
        <span role="status" className="text-xs text-muted">
          {files.isUploading ? 'Uploading…' : ''}
        </span>
        <input
          ref={picker}
          type="file"
          multiple
          hidden
          aria-label="Files to upload"
          onChange={(event) => {
            uploadAll(event.target.files);
            event.target.value = '';
          }}
        />
        <IconButton
          label="Upload files"
          icon={Upload}
          isDisabled={root === null}
          onClick={() => picker.current?.click()}
        />
        <IconButton
          label="New folder"
          icon={FolderPlus}
          isDisabled={root === null}
          onClick={() => setDialog('folder')}
        />
        <IconButton
          label="Refresh"
          icon={RefreshCw}
          isDisabled={isUnavailable}
          onClick={files.refresh}
        />
      </div>
      {isUnavailable && <SandboxUnavailable sandbox={sandbox} />}
      <div className="@container flex min-h-0 flex-1">
        {/* On wide drawers the content is beside the tree, not below it. */}
        <div className="flex min-h-0 min-w-0 flex-1 flex-col @3xl:flex-row">
          <div
            className={cx('min-h-0 flex-1 overflow-y-auto', row !== undefined && '@3xl:max-w-80')}
          >
            {files.error !== null && (
              <FailureNote cause={files.error} onRetry={files.refresh} className="m-3" />
            )}
            {files.isLoading && files.error === null && (
              <Skeleton className="m-3 h-40 rounded-lg" />
            )}
            {root !== null && rows.length > 0 && (
              <FileTree
                root={root}
                rows={rows}
                selected={selected}
                onSelect={setSelected}
                onToggle={files.toggle}
                onKey={(key) => {
                  if (row === undefined) return;
                  if (key === 'F2') setDialog('rename');
                  if (key === 'Delete') setDialog('remove');
                }}
              />
            )}
            {root !== null && rows.length === 0 && !files.isLoading && (
              <div className="p-3">
                <Empty icon={FolderTree} title="This folder is empty">
                  Drop files here, or click Upload.
                </Empty>
              </div>
            )}
            {files.isTruncated && (
              <p className="p-3 text-sm text-muted">More files than are listed here.</p>
            )}
          </div>
          {row !== undefined && (
            <Preview
              key={row.path}
              sessionId={sessionId}
              row={row}
              onRename={() => setDialog('rename')}
              onRemove={() => setDialog('remove')}
            />
          )}
        </div>
      </div>
      <div
        aria-hidden
        className={cx(
          'pointer-events-none absolute inset-0 grid place-items-center border-2 border-dashed border-accent bg-accent-soft/80 text-sm font-medium',
          !isDragOver && 'hidden',
        )}
      >
        Drop to upload into {folder}
      </div>
      {dialog === 'folder' && folder !== null && (
        <NameDialog
          title="New folder"
          description={`In ${folder}`}
          action="Create folder"
          name=""
          onName={(name) => files.makeFolder(childOf(folder, name))}
          onClose={() => setDialog(null)}
        />
      )}
      {dialog === 'rename' && row !== undefined && (
        <NameDialog
          title="Rename"
          description={row.path}
          action="Rename"
          name={row.name}
          onName={(name) => files.rename({ path: row.path, name })}
          onClose={() => setDialog(null)}
        />
      )}
      {dialog === 'remove' && row !== undefined && (
        <Confirm
          title={`Delete ${nameOf(row.path)}?`}
          text={`This deletes ${row.path} in the sandbox${mayOpen(row) ? ' and everything in it' : ''}.`}
          action="Delete"
          onConfirm={() => files.remove(row.path)}
          onClose={() => setDialog(null)}
        />
      )}
    </div>
  );
}

interface IconButtonProps {
  readonly label: string;
  readonly icon: typeof Upload;
  readonly isDisabled: boolean;
  readonly onClick: () => void;
}

const IconButton = ({ label, icon: Icon, isDisabled, onClick }: IconButtonProps) => (
  <Button
    variant="ghost"
    size="icon"
    aria-label={label}
    title={label}
    disabled={isDisabled}
    onClick={onClick}
  >
    <Icon aria-hidden />
  </Button>
);
