import { Activity, ChartColumn, House, Settings, SquareKanban } from 'lucide-react';

/** The pages in the sidebar, the palette and the shortcuts. */
export const pages = [
  { to: '/', label: 'Home', icon: House, keys: 'g h' },
  { to: '/board', label: 'Board', icon: SquareKanban, keys: 'g b' },
  { to: '/usage', label: 'Usage', icon: ChartColumn, keys: 'g u' },
  { to: '/settings', label: 'Settings', icon: Settings, keys: 'g ,' },
  { to: '/system', label: 'System', icon: Activity, keys: 'g s' },
] as const;
