import { useNavigate } from '@tanstack/react-router';
import { Keyboard, Search, SquarePen } from 'lucide-react';
import { useMemo } from 'react';
import type { Command } from '../features/commands/command.ts';
import { settingsSections } from '../features/settings/sections.ts';
import { themePreference } from '../features/theme/theme.ts';
import { themeOptions } from '../features/theme/theme-switch.tsx';
import { pages } from './navigation.ts';
import { useSessionCommands } from './use-session-commands.ts';

export type OpenDialog = 'palette' | 'shortcuts' | null;

/** All commands of the palette, the shortcuts dialog and the keyboard. */
export function useCommands(open: (dialog: OpenDialog) => void): readonly Command[] {
  const navigate = useNavigate();
  const sessions = useSessionCommands();
  return useMemo(
    () => [
      {
        id: 'new-task',
        label: 'New task',
        group: 'Go to',
        icon: SquarePen,
        keys: 'n',
        run: () => void goToTask(navigate),
      },
      ...pages.map(({ to, label, icon, keys }): Command => ({
        id: `go:${to}`,
        label,
        group: 'Go to',
        icon,
        keys,
        run: () => void navigate({ to }),
      })),
      ...settingsSections.map(({ to, label, icon }): Command => ({
        id: `go:${to}`,
        label: `Settings: ${label}`,
        group: 'Go to',
        icon,
        keys: null,
        run: () => void navigate({ to }),
      })),
      ...sessions,
      ...themeOptions.map(({ value, label, icon }): Command => ({
        id: `theme:${value}`,
        label,
        group: 'Theme',
        icon,
        keys: null,
        run: () => themePreference.set(value),
      })),
      {
        id: 'palette',
        label: 'Find a page or action',
        group: 'Help',
        icon: Search,
        keys: 'mod+k',
        run: () => open('palette'),
      },
      {
        id: 'shortcuts',
        label: 'Keyboard shortcuts',
        group: 'Help',
        icon: Keyboard,
        keys: '?',
        run: () => open('shortcuts'),
      },
    ],
    [navigate, open, sessions],
  );
}

/** Opens Home and focuses the task box, also if Home is already open. */
async function goToTask(navigate: ReturnType<typeof useNavigate>): Promise<void> {
  await navigate({ to: '/' });
  requestAnimationFrame(() => document.querySelector<HTMLElement>('#new-task')?.focus());
}
