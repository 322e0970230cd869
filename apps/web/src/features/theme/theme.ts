import { createPreference } from '../../ui/preference.ts';

const themeChoices = ['light', 'dark', 'system'] as const;
export type ThemeChoice = (typeof themeChoices)[number];

/** public/theme.js reads the same key before the first paint. */
export const themePreference = createPreference<ThemeChoice>('ship.theme', themeChoices, 'system');

const systemIsDark = matchMedia('(prefers-color-scheme: dark)');

function applyTheme(): void {
  const choice = themePreference.get();
  const isDark = choice === 'dark' || (choice === 'system' && systemIsDark.matches);
  document.documentElement.classList.toggle('dark', isDark);
  document
    .querySelector('meta[name="theme-color"]')
    ?.setAttribute('content', isDark ? '#0e1013' : '#fbfcfd');
}

export function keepThemeApplied(): void {
  themePreference.subscribe(applyTheme);
  systemIsDark.addEventListener('change', applyTheme);
  applyTheme();
}
