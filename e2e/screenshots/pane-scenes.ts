import { expect } from '@playwright/test';
import { LONG_TIMEOUT, type Scene, all, three, waitForText } from './scene.ts';

/** VS Code is nearly 200 MB from the npm registry. */
const INSTALLED = { timeout: 240_000 };

/** VS Code tokenizes a moment after it shows the text. */
const coloursOf = (lines: Element) =>
  new Set([...lines.querySelectorAll('[class^=mtk]')].map((word) => word.className.split(' ')[0]))
    .size;

/** All panes of the drawer. */
export const panes: readonly Scene[] = [
  {
    name: 'pane-changes',
    path: { session: 'finished', rest: '?pane=changes' },
    shots: all,
    prepare: (page) =>
      expect(page.getByRole('region', { name: 'Changes in README.md' })).toBeVisible(LONG_TIMEOUT),
  },
  {
    // Must be the first editor scene: VS Code installs only once, and meanwhile the file is shown read-only.
    name: 'pane-editor-installing',
    path: { session: 'search', rest: '?pane=editor&at=shop.js:12' },
    shots: [[1440, 'light']],
    prepare: waitForText('read-only'),
  },
  {
    name: 'pane-editor',
    path: { session: 'search', rest: '?pane=editor&at=shop.js:12' },
    shots: three,
    async prepare(page) {
      const code = page.frameLocator('iframe[title="VS Code in the sandbox"]');
      const lines = code.locator('.monaco-editor .view-lines').first();
      await expect(lines).toContainText('products', INSTALLED);
      await expect.poll(() => lines.evaluate(coloursOf), LONG_TIMEOUT).toBeGreaterThan(3);
    },
  },
  {
    name: 'pane-terminal',
    path: { session: 'search', rest: '?pane=terminal' },
    shots: three,
    async prepare(page) {
      const screen = page.locator('.xterm-screen').first();
      await expect(screen).toBeVisible(LONG_TIMEOUT);
      const rows = page.locator('.xterm-accessibility, .xterm-rows').first();
      await expect(rows).toContainText('$', LONG_TIMEOUT);
      // The shell is the same at every width and already has the output.
      if (/duration_ms/.test((await rows.textContent()) ?? '')) return;
      await screen.click();
      await page.keyboard.type('clear; git status --short; node --test 2>&1 | tail -8\n');
      await expect(rows).toContainText(/duration_ms/, LONG_TIMEOUT);
    },
  },
  {
    name: 'pane-preview',
    path: { session: 'search', rest: '?pane=preview' },
    shots: three,
    prepare: (page) =>
      expect(page.frameLocator('iframe').first().getByText('Oak shelf')).toBeVisible(LONG_TIMEOUT),
  },
  {
    name: 'pane-files',
    path: { session: 'search', rest: '?pane=files' },
    shots: three,
    prepare: (page) =>
      page
        .getByRole('complementary', { name: 'Drawer' })
        .getByText('shop.js', { exact: true })
        .first()
        .click(LONG_TIMEOUT),
  },
  {
    name: 'pane-logs',
    path: { session: 'merged', rest: '?pane=logs' },
    shots: three,
    prepare: (page) =>
      expect(page.getByRole('region', { name: 'Trace' })).toBeVisible(LONG_TIMEOUT),
  },
];
