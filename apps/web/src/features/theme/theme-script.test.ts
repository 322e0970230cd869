import { describe, expect, it } from 'vitest';
import script from '../../../public/theme.js?raw';
import page from '../../../index.html?raw';

/** Runs the blocking script against a fake document. */
function boot(stored: string | null, systemIsDark: boolean) {
  const seen = { dark: false, colour: '' };
  const document = {
    documentElement: { classList: { toggle: (_: string, on: boolean) => (seen.dark = on) } },
    querySelector: () => ({ setAttribute: (_: string, value: string) => (seen.colour = value) }),
  };
  const localStorage = { getItem: (key: string) => (key === 'ship.theme' ? stored : null) };
  const matchMedia = () => ({ matches: systemIsDark });
  // oxlint-disable-next-line typescript/no-implied-eval -- the script is one of the web app's files, not a module
  new Function('document', 'localStorage', 'matchMedia', script)(
    document,
    localStorage,
    matchMedia,
  );
  return seen;
}

describe('theme.js', () => {
  it.each([
    ['dark', false, true],
    ['light', true, false],
    ['system', true, true],
    ['system', false, false],
    [null, true, true],
    ['nonsense', false, false],
  ])('stored %s on a system that is dark: %s', (stored, systemIsDark, dark) => {
    expect(boot(stored, systemIsDark).dark).toBe(dark);
  });

  it('loads before the first paint, and the page has nothing inline', () => {
    expect(page).toContain('<script src="/theme.js"></script>');
    expect(page).not.toMatch(/<style|style=|<script>|onload=/);
  });
});
