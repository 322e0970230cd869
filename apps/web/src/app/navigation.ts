import { Activity, House } from 'lucide-react';

/** The places in the rail, the palette and the keyboard. Board, Usage and Settings will join here. */
export const places = [
  { to: '/', label: 'Home', icon: House, keys: 'g h' },
  { to: '/system', label: 'System', icon: Activity, keys: 'g s' },
] as const;
