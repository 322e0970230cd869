import type { Page } from '@playwright/test';
import { LONG_TIMEOUT, callApi, expectAccessible, newSignedInPage } from './app.ts';
import { Ship, expect, test } from './ship.ts';

test('[PG1] every client route opens directly, with its own title', async ({ page }) => {
  await page.goto('/');
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Hand off a task.');
  await page.goto('/system');
  await expect(page).toHaveTitle(/System/);
  await expect(page.getByRole('row', { name: /Control plane/ })).toContainText('Up');
  await expect(page.getByRole('row', { name: /Storage/ })).toContainText('Up');
});

test('an unknown address shows an error page with a link home', async ({ page }) => {
  await page.goto('/no/such/page');
  await page.getByRole('main').getByRole('link', { name: /home/i }).click();
  await expect(page).toHaveURL('/');
});

test('[PG2] hashed files are served with their type and cached forever', async ({ page }) => {
  const served = new Map<string, string>();
  page.on('response', (response) => {
    const { pathname } = new URL(response.url());
    if (pathname.startsWith('/assets/'))
      served.set(pathname, response.headers()['cache-control'] ?? '');
  });
  await page.goto('/');
  await expect(page.getByText('Connected').first()).toBeVisible(LONG_TIMEOUT);
  expect(served.size).toBeGreaterThan(2);
  expect([...served.values()].every((header) => header.includes('immutable'))).toBe(true);
});

test('[PG5] by keyboard alone: open a page, find a command, read the shortcuts', async ({
  page,
}) => {
  await page.goto('/usage');
  await expect(page.getByText('Connected').first()).toBeVisible(LONG_TIMEOUT);
  await page.keyboard.press('g');
  await page.keyboard.press('s');
  await expect(page).toHaveURL('/system');
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('combobox')).toBeFocused();
  await page.keyboard.type('home');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL('/');
});

const ROUTES = [
  '/',
  '/board',
  '/usage',
  '/settings/general',
  '/settings/models',
  '/settings/agent',
  '/settings/repositories',
  '/settings/forges',
  '/settings/limits',
  '/settings/network',
  '/settings/secrets',
  '/settings/tokens',
  '/settings/browser',
  '/system',
  '/no/such/page',
];

/** Navigates without a reload, which would dominate the test; PG1 checks that routes open directly. */
async function navigate(page: Page, path: string): Promise<void> {
  const main = page.getByRole('main');
  const left = (await main.textContent()) ?? '';
  await page.evaluate((to) => window.history.pushState({}, '', to), path);
  // Otherwise the previous page could still be shown.
  await expect.poll(() => main.textContent(), LONG_TIMEOUT).not.toBe(left);
}

// Contrast depends on the theme, layout on the width: two of the four combinations cover both.
for (const [colorScheme, width] of [
  ['light', 1440],
  ['dark', 390],
] as const) {
  test(`[PG5] axe finds no violations, and nothing overflows (${colorScheme}, ${width} px)`, async ({
    page,
  }) => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    await page.goto('/usage');
    const made = await callApi(page, 'POST', '/sessions', {
      requestId: `axe-${width}-${Date.now()}`,
      repository: '/srv/example',
      title: 'Looked at',
    });
    for (const path of [...ROUTES, `/sessions/${String(made?.['sessionId'])}?pane=logs`]) {
      await navigate(page, path);
      await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible(LONG_TIMEOUT);
      await expect(page.locator('[aria-busy]')).toHaveCount(0, LONG_TIMEOUT);
      await expectAccessible(page);
    }
  });
}

test('a chosen theme survives a reload, without a flash of the other one', async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'light' });
  await page.goto('/');
  await page.getByRole('radio', { name: /dark/i }).first().check({ force: true });
  const isDark = () => page.evaluate(() => document.documentElement.classList.contains('dark'));
  expect(await isDark()).toBe(true);
  await page.reload({ waitUntil: 'commit' });
  await page.waitForFunction(() => document.readyState !== 'loading' || document.body !== null);
  expect(await isDark()).toBe(true);
});

test('[PG6] reports a lost server, keeps the last known state, and recovers automatically', async ({
  browser,
  problems,
}) => {
  // A separate server: stopping the shared one would fail the other tests.
  const ship = await Ship.launch();
  try {
    const page = await newSignedInPage(browser, ship);
    await page.goto('/system');
    await expect(page.getByRole('row', { name: /Control plane/ })).toContainText('Up');
    await ship.stop();
    await expect(
      page
        .getByRole('status')
        .or(page.getByRole('alert'))
        .filter({ hasText: /reconnecting/i })
        .first(),
    ).toBeVisible({ timeout: 15_000 });
    await expect(page.getByRole('row', { name: /Control plane/ })).toBeVisible();
    await ship.start();
    await expect(page.getByText(/reconnecting/i)).toHaveCount(0, { timeout: 30_000 });
    await expect(page.getByText('Everything is up').first()).toBeVisible();
    await page.close();
  } finally {
    await ship.remove();
    problems.length = 0;
  }
});
