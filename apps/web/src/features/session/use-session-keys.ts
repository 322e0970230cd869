import { PanelRight } from 'lucide-react';
import { useEffect, useMemo } from 'react';
import type { Command } from '../commands/command.ts';
import { useShortcuts } from '../commands/use-shortcuts.ts';
import { panes } from './drawer/panes.ts';

interface Keys {
  readonly onPane: (paneId: string) => void;
  readonly onFull: () => void;
  readonly onClose: () => void;
  readonly onStop: () => void;
}

const doublePressMs = 1000;

/** 1 to 6 open a pane, 0 closes the drawer, f toggles full screen, Escape twice stops the agent. */
export function useSessionKeys({ onPane, onFull, onClose, onStop }: Keys): void {
  const commands = useMemo(
    (): readonly Command[] => [
      ...panes.map(({ id, label, keys, icon }): Command => ({
        id: `pane:${id}`,
        label,
        group: 'Session',
        icon,
        keys,
        run: () => onPane(id),
      })),
      {
        id: 'prompt',
        label: 'Write a prompt',
        group: 'Session',
        icon: PanelRight,
        keys: '/',
        run: () => document.querySelector<HTMLElement>('#composer')?.focus(),
      },
      {
        id: 'drawer:full',
        label: 'Full-screen drawer',
        group: 'Session',
        icon: PanelRight,
        keys: 'f',
        run: onFull,
      },
      {
        id: 'drawer:close',
        label: 'Close the drawer',
        group: 'Session',
        icon: PanelRight,
        keys: '0',
        run: onClose,
      },
    ],
    [onPane, onFull, onClose],
  );
  useShortcuts(commands);
  useEffect(() => {
    let escapedAt = -doublePressMs;
    const onKeyDown = (event: KeyboardEvent) => {
      // An Escape that closes a dialog or menu must not count.
      if (event.key !== 'Escape' || event.defaultPrevented || event.repeat) return;
      if (document.querySelector('[role="dialog"], [role="menu"]') !== null) return;
      if (event.timeStamp - escapedAt < doublePressMs) onStop();
      escapedAt = event.timeStamp;
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [onStop]);
}
