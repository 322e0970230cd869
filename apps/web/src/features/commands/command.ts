import type { LucideIcon } from 'lucide-react';

/** One thing that can be done from the palette and, if it has keys, from the keyboard. */
export interface Command {
  readonly id: string;
  readonly label: string;
  readonly group: (typeof commandGroups)[number];
  readonly icon: LucideIcon;
  readonly keys: string | null;
  readonly run: () => void;
}

export const commandGroups = ['Session', 'Go to', 'Sessions', 'Theme', 'Help'] as const;
