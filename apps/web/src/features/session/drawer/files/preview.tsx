import { useQuery } from '@tanstack/react-query';
import type { SessionId } from '@ship/protocol';
import { Download, Pencil, Trash2 } from 'lucide-react';
import { useEffect, useState } from 'react';
import { loadSandboxApi } from '../../../../api/load.ts';
import { Button, buttonStyles } from '../../../../ui/button.tsx';
import { formatBytes } from '../../../../ui/format.ts';
import { FailureNote } from '../../../../ui/notice.tsx';
import { Skeleton } from '../../../../ui/skeleton.tsx';
import { CodeText } from '../../../highlight/code-text.tsx';
import { languageOfFile } from '../../../highlight/language.ts';
import { bytesToRead, contentOf, maxTextBytes } from './content.ts';
import type { Content } from './content.ts';
import type { FileRow } from './tree.ts';

interface PreviewProps {
  readonly sessionId: SessionId;
  readonly row: FileRow;
  readonly onRename: () => void;
  readonly onRemove: () => void;
}

/** The selected file as text or image, never as a page, with its actions. */
export function Preview({ sessionId, row, onRename, onRemove }: PreviewProps) {
  const { path, name, sizeBytes } = row;
  const isFile = row.kind === 'file';
  const { data, error, refetch } = useQuery({
    queryKey: ['sandbox-file', sessionId, path, sizeBytes],
    queryFn: async ({ signal }) => {
      const { readSandboxFile } = await loadSandboxApi();
      const read = await readSandboxFile(sessionId, path, bytesToRead(name), signal);
      return contentOf(name, sizeBytes ?? read.size, read);
    },
    enabled: isFile,
    retry: false,
    staleTime: 2_000,
    gcTime: 0,
  });
  const address = `/api/sessions/${sessionId}/sandbox/files/content?path=${encodeURIComponent(path)}`;
  return (
    <section
      aria-label={`File ${name}`}
      className="flex min-h-0 min-w-0 flex-1 flex-col border-t border-line @3xl:border-t-0 @3xl:border-l"
    >
      <div className="flex shrink-0 items-center gap-1 px-3 py-1">
        <h2 className="min-w-0 flex-1 truncate text-sm font-medium" title={path}>
          {name}
          {sizeBytes !== null && (
            <span className="ml-2 font-normal text-muted">{formatBytes(sizeBytes)}</span>
          )}
        </h2>
        {isFile && (
          <a
            href={address}
            download={name}
            aria-label={`Download ${name}`}
            title="Download"
            className={buttonStyles({ variant: 'ghost', size: 'icon' })}
          >
            <Download aria-hidden />
          </a>
        )}
        <Button
          variant="ghost"
          size="icon"
          aria-label={`Rename ${name}`}
          title="Rename (F2)"
          onClick={onRename}
        >
          <Pencil aria-hidden />
        </Button>
        <Button
          variant="ghost"
          size="icon"
          aria-label={`Delete ${name}`}
          title="Delete (Del)"
          onClick={onRemove}
        >
          <Trash2 aria-hidden />
        </Button>
      </div>
      <div className="min-h-0 flex-1 overflow-auto" tabIndex={0} role="region" aria-label="Content">
        {error !== null && (
          <FailureNote cause={error} onRetry={() => void refetch()} className="m-3" />
        )}
        {isFile && data === undefined && error === null && (
          <Skeleton className="m-3 h-24 rounded-lg" />
        )}
        {data !== undefined && <Shown content={data} name={name} />}
      </div>
    </section>
  );
}

interface ShownProps {
  readonly content: Content;
  readonly name: string;
}

function Shown({ content, name }: ShownProps) {
  switch (content.kind) {
    case 'text':
      return (
        <>
          <pre className="px-3 py-2 font-mono text-xs leading-relaxed">
            <CodeText text={content.text} language={languageOfFile(name)} />
          </pre>
          {!content.isWhole && (
            <p className="px-3 pb-3 text-sm text-muted">
              Only the first {formatBytes(maxTextBytes)} are shown. Download the file for the rest.
            </p>
          )}
        </>
      );
    case 'image':
      return <Picture blob={content.blob} name={name} />;
    case 'other':
      return (
        <p className="p-3 text-sm text-muted">
          Can’t preview this file. Download it to open it elsewhere.
        </p>
      );
  }
}

function Picture({ blob, name }: { readonly blob: Blob; readonly name: string }) {
  const [address, setAddress] = useState<string | null>(null);
  useEffect(() => {
    const made = URL.createObjectURL(blob);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  if (address === null) return null;
  return <img src={address} alt={name} className="m-3 max-w-[calc(100%-1.5rem)]" />;
}
