import { useNavigate } from '@tanstack/react-router';
import { Keyboard, Search } from 'lucide-react';
import { useMemo } from 'react';
import type { Command } from '../features/commands/command.ts';
import { themePreference } from '../features/theme/theme.ts';
import { themeOptions } from '../features/theme/theme-switch.tsx';
import { places } from './navigation.ts';

export type OpenDialog = 'palette' | 'shortcuts' | null;

/** Everything that the palette, the shortcuts dialog and the keyboard offer, defined once. */
export function useCommands(open: (dialog: OpenDialog) => void): readonly Command[] {
  const navigate = useNavigate();
  return useMemo(
    () => [
      ...places.map(({ to, label, icon, keys }): Command => ({
        id: `go:${to}`,
        label,
        group: 'Go to',
        icon,
        keys,
        run: () => void navigate({ to }),
      })),
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
        label: 'Find a page or an action',
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
    [navigate, open],
  );
}
