import { ShipFailure } from '@ship/protocol';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { FailureNote } from '../../../../ui/notice.tsx';
import { Skeleton } from '../../../../ui/skeleton.tsx';
import { NeedsSandbox } from '../needs-sandbox.tsx';
import type { PaneProps } from '../panes.ts';
import { EditorFrame } from './editor-frame.tsx';
import { FileViewer } from './file-viewer.tsx';
import { Preparing } from './preparing.tsx';
import { readTarget } from './target.ts';
import { useEditor } from './use-editor.ts';

/** VS Code in the sandbox, at the clicked line. Until it is ready, or if it fails, a read-only view of the file. */
export default function EditorPane({ feed, isShown }: PaneProps) {
  const { sessionId, sandbox } = feed.state;
  const isRunning = sandbox.status === 'running';
  const { at } = useSearch({ from: '/sessions/$sessionId' });
  // Kept while another pane is open: coming back must not reload the editor.
  const [kept, setKept] = useState(at);
  if (at !== undefined && at !== kept) setKept(at);
  const target = readTarget(kept);
  const { view, error, again } = useEditor(sessionId, isShown && isRunning);
  const viewer = target !== null && <FileViewer sessionId={sessionId} target={target} />;
  if (!isRunning)
    return (
      <>
        <NeedsSandbox subject="The editor" sandbox={sandbox} />
        {viewer}
      </>
    );
  if (view?.state === 'ready') return <EditorFrame sessionId={sessionId} view={view} at={kept} />;
  return (
    <>
      {view?.state === 'preparing' && <Preparing view={view} />}
      {view === undefined && error === null && <Skeleton className="m-3 h-16 rounded-lg" />}
      {(view?.state === 'failed' || error !== null) && (
        <FailureNote
          cause={view?.state === 'failed' ? new ShipFailure(view.error) : error}
          onRetry={again}
          className="m-3"
        />
      )}
      {viewer}
    </>
  );
}
