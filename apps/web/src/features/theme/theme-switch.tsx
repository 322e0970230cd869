import { Monitor, Moon, Sun } from 'lucide-react';
import { Choice } from '../../ui/choice.tsx';
import { usePreference } from '../../ui/preference.ts';
import { themePreference } from './theme.ts';

export const themeOptions = [
  { value: 'light', label: 'Light theme', icon: Sun },
  { value: 'dark', label: 'Dark theme', icon: Moon },
  { value: 'system', label: 'System theme', icon: Monitor },
] as const;

export const ThemeSwitch = () => (
  <Choice
    label="Theme"
    options={themeOptions}
    value={usePreference(themePreference)}
    onChange={themePreference.set}
  />
);
