import { AppWindow, Code, FileDiff, ScrollText } from 'lucide-react';
import type { LucideIcon } from 'lucide-react';
import { lazy } from 'react';
import type { ComponentType } from 'react';
import type { Feed } from '../feed/feed-state.ts';

export interface PaneProps {
  readonly feed: Feed;
  /** A pane that is out of sight stays as it is, and should do nothing. */
  readonly isShown: boolean;
}

interface Pane {
  readonly id: string;
  readonly label: string;
  /** Fixed per pane, so that fingers learn it: 1 Changes, 2 Editor, 3 Terminal, 4 Preview, 5 Files, 6 Logs. */
  readonly keys: string;
  readonly icon: LucideIcon;
  readonly View: ComponentType<PaneProps>;
}

/** What the drawer offers, from left to right. A new pane is one entry; it is fetched when it is first opened. */
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
    id: 'preview',
    label: 'Preview',
    keys: '4',
    icon: AppWindow,
    View: lazy(() => import('./preview/preview-pane.tsx')),
  },
  {
    id: 'logs',
    label: 'Logs',
    keys: '6',
    icon: ScrollText,
    View: lazy(() => import('./logs/logs-pane.tsx')),
  },
];
