import type { LucideIcon } from 'lucide-react';

/** An action of the palette and, if it has keys, of the keyboard. */
export interface Command {
  readonly id: string;
  readonly label: string;
  readonly group: (typeof commandGroups)[number];
  readonly icon: LucideIcon;
  readonly keys: string | null;
  readonly run: () => void;
}

export const commandGroups = ['Session', 'Go to', 'Sessions', 'Theme', 'Help'] as const;
