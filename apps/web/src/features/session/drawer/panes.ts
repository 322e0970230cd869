import { AppWindow, Code, FileDiff, FolderTree, ScrollText, SquareTerminal } from 'lucide-react';
import type { LucideIcon } from 'lucide-react';
import { lazy } from 'react';
import type { ComponentType } from 'react';
import type { Feed } from '../feed/feed-state.ts';

export interface PaneProps {
  readonly feed: Feed;
  /** A hidden pane keeps its state and should not poll. */
  readonly isShown: boolean;
}

interface Pane {
  readonly id: string;
  readonly label: string;
  /** Fixed per pane, so that people can learn it: 1 Changes, 2 Editor, 3 Terminal, 4 Preview, 5 Files, 6 Logs. */
  readonly keys: string;
  readonly icon: LucideIcon;
  readonly View: ComponentType<PaneProps>;
}

/** The panes of the drawer, from left to right. A new pane is one entry; its code loads when it is first opened. */
export const panes: readonly Pane[] = [
  {
    id: 'changes',
    label: 'Changes',
    keys: '1',
    icon: FileDiff,
    View: lazy(() => import('./changes/changes-pane.tsx')),
  },
  {
    id: 'editor',
    label: 'Editor',
    keys: '2',
    icon: Code,
    View: lazy(() => import('./editor/editor-pane.tsx')),
  },
  {
    id: 'terminal',
    label: 'Terminal',
    keys: '3',
    icon: SquareTerminal,
    View: lazy(() => import('./terminal/terminal-pane.tsx')),
  },
  {
    id: 'preview',
    label: 'Preview',
    keys: '4',
    icon: AppWindow,
    View: lazy(() => import('./preview/preview-pane.tsx')),
  },
  {
    id: 'files',
    label: 'Files',
    keys: '5',
    icon: FolderTree,
    View: lazy(() => import('./files/files-pane.tsx')),
  },
  {
    id: 'logs',
    label: 'Logs',
    keys: '6',
    icon: ScrollText,
    View: lazy(() => import('./logs/logs-pane.tsx')),
  },
];
