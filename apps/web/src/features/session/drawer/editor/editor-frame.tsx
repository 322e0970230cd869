import type { EditorView, SessionId } from '@ship/protocol';
import { useEffect, useRef, useState } from 'react';
import { loadEditorApi } from '../../../../api/load.ts';
import { PortFrame } from '../preview/port-frame.tsx';
import { editorPath, readTarget } from './target.ts';

interface EditorFrameProps {
  readonly sessionId: SessionId;
  readonly view: EditorView & { readonly state: 'ready' };
  /** `src/a.ts:12` */
  readonly at: string | undefined;
}

/**
 * VS Code in a frame. Its URL contains the first requested line; the open editor shows later lines itself, because reloading it
 * takes seconds. The URL changes only if the editor cannot show a line (still loading, or ended).
 */
export function EditorFrame({ sessionId, view, at }: EditorFrameProps) {
  const [framed, setFramed] = useState({ at, round: 0 });
  const wanted = useRef(at);
  useEffect(() => {
    const target = readTarget(at);
    if (target === null || at === wanted.current) return;
    wanted.current = at;
    void show();

    async function show() {
      const api = await loadEditorApi();
      const isShown =
        target !== null && (await api.showInEditor(sessionId, target).catch(() => false));
      // Skip if another line was clicked meanwhile.
      if (!isShown && wanted.current === at) setFramed(({ round }) => ({ at, round: round + 1 }));
    }
  }, [sessionId, at]);
  const path = editorPath(view.folder, view.host ?? location.host, readTarget(framed.at));
  return (
    <PortFrame
      sessionId={sessionId}
      address={{ port: view.port, path }}
      title="VS Code in the sandbox"
      round={framed.round}
      mayUseClipboard
    />
  );
}
