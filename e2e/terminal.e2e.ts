import { readFileSync, rmSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { LONG_TIMEOUT, callApi, expectAccessible, createRepository } from './app.ts';
import { expect, test } from './ship.ts';

let repository = '';
test.beforeAll(() => {
  repository = createRepository();
});
test.afterAll(() => rmSync(repository, { recursive: true, force: true }));

async function openSession(page: Page, title: string): Promise<void> {
  await page.goto('/');
  const made = await callApi(page, 'POST', '/sessions', {
    requestId: `e2e-${title}-${Date.now()}`,
    repository,
    title,
  });
  await page.goto(`/sessions/${String(made?.['sessionId'])}`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(title, LONG_TIMEOUT);
}

const inSight = (page: Page) => page.locator('[data-terminal]').filter({ visible: true });
const shown = (page: Page) => inSight(page).locator('.xterm-rows');
const isOpen = (page: Page) =>
  expect(inSight(page)).toHaveAttribute('data-status', 'open', LONG_TIMEOUT);

test('[TM10] a shortcut opens a shell; after a reload it is the same one with its output', async ({
  page,
}) => {
  await openSession(page, 'Shell');
  await page.keyboard.press('3');
  await isOpen(page);
  await expect(shown(page)).toContainText('$', LONG_TIMEOUT);
  await page.keyboard.type('kept=yes; echo answer $((6*7))\n');
  await expect(shown(page)).toContainText('answer 42', LONG_TIMEOUT);
  await expect(page).toHaveURL(/pane=terminal/);
  await page.reload();
  await isOpen(page);
  await expect(shown(page)).toContainText('answer 42', LONG_TIMEOUT);
  await page.locator('.xterm-helper-textarea').focus();
  await page.keyboard.type('echo still $kept\n');
  await expect(shown(page)).toContainText('still yes', LONG_TIMEOUT);

  // Each tab is a separate shell, and switching keeps both.
  await page.getByRole('button', { name: 'New terminal' }).click();
  // Until the new tab is selected, the visible shell is the first one: open, with a prompt, and the wrong one to type into.
  await expect(page.getByRole('tab', { name: 'Shell 2' })).toHaveAttribute('aria-selected', 'true');
  await isOpen(page);
  await expect(shown(page)).toContainText('$', LONG_TIMEOUT);
  await page.keyboard.type('echo "second $kept."\n');
  await expect(shown(page)).toContainText('second .', LONG_TIMEOUT);
  await page.getByRole('tab', { name: 'Shell 1' }).click();
  await expect(shown(page)).toContainText('still yes');
  await page.keyboard.press('Shift+Escape');
  await expect(page.getByRole('tab', { name: 'Shell 1' })).toBeFocused();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Close this terminal' }).click();
  await expect(page.getByRole('tab', { name: 'Shell 1' })).toHaveCount(0);
});

test('[TM11] ten megabytes of output do not freeze the page', async ({ page }) => {
  await openSession(page, 'Flood');
  await page.keyboard.press('3');
  await isOpen(page);
  await expect(shown(page)).toContainText('$', LONG_TIMEOUT);
  await page.evaluate(() => {
    const gaps = { longestMs: 0, last: performance.now() };
    Object.assign(window, { gaps });
    setInterval(() => {
      const now = performance.now();
      gaps.longestMs = Math.max(gaps.longestMs, now - gaps.last);
      gaps.last = now;
    }, 20);
  });
  await page.keyboard.type(
    "head -c 10000000 /dev/zero | tr '\\0' x | fold -w 99; echo al'l' out\n",
  );
  await expect(shown(page)).toContainText('all out', { timeout: 120_000 });
  const longestMs = await page.evaluate(
    () => (window as unknown as { gaps: { longestMs: number } }).gaps.longestMs,
  );
  expect(longestMs).toBeLessThan(2_000);
  await page.keyboard.type('echo here\n');
  await expect(shown(page)).toContainText('here', LONG_TIMEOUT);
});

test('[FL8] a file is uploaded, shown, and downloaded unchanged', async ({ page }) => {
  await openSession(page, 'Files');
  await page.keyboard.press('5');
  const pane = page.locator('#pane-files');
  // A prewarmed sandbox already has the repository folder.
  await expect(pane.getByText(/^\/home\/user(\/repository)?$/)).toBeVisible(LONG_TIMEOUT);
  const text = 'hello from outside\n';
  await pane.getByLabel('Files to upload').setInputFiles({
    name: 'note.txt',
    mimeType: 'text/plain',
    buffer: Buffer.from(text),
  });
  const item = pane.getByRole('treeitem', { name: /note\.txt/ });
  await item.click(LONG_TIMEOUT);
  await expect(pane.getByRole('region', { name: 'Content' })).toHaveText(text.trim(), LONG_TIMEOUT);
  await expectAccessible(page);
  const downloading = page.waitForEvent('download');
  await pane.getByRole('link', { name: 'Download note.txt' }).click();
  expect(readFileSync(await (await downloading).path(), 'utf8')).toBe(text);

  // Dropped files are uploaded too; an HTML file is shown as text, and nothing in it runs.
  await pane.evaluate((element) => {
    const dropped = new DataTransfer();
    dropped.items.add(new File(['<script>alert(1)</script>'], 'evil.html'));
    const init = { dataTransfer: dropped, bubbles: true, cancelable: true };
    element.firstElementChild?.dispatchEvent(new DragEvent('drop', init));
  });
  await pane.getByRole('treeitem', { name: /evil\.html/ }).click(LONG_TIMEOUT);
  await expect(pane.getByRole('region', { name: 'Content' })).toHaveText(
    '<script>alert(1)</script>',
    LONG_TIMEOUT,
  );
  await page.keyboard.press('F2');
  await page.getByRole('textbox', { name: 'Name' }).fill('good.html');
  await page.keyboard.press('Enter');
  await expect(pane.getByRole('treeitem', { name: /good\.html/ })).toBeVisible(LONG_TIMEOUT);
  await pane.getByRole('treeitem', { name: /good\.html/ }).click();
  await page.keyboard.press('Delete');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect(pane.getByRole('treeitem', { name: /good\.html/ })).toHaveCount(0, LONG_TIMEOUT);
});
