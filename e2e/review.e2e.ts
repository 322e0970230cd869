import type { Page } from '@playwright/test';
import { LONG_TIMEOUT, callApi, expectAccessible, newSignedInPage } from './app.ts';
import { Ship, expect, test } from './ship.ts';

// One journey: each test continues where the previous one ended.
test.describe.configure({ mode: 'serial' });
/** Starts a sandbox and the real agent: seconds on an idle machine, minutes on a busy one. */
const AGENT_TIMEOUT = { timeout: 240_000 };
let ship: Ship;
let page: Page;

test.beforeAll(async ({ browser }) => {
  // The first-run page needs a Ship that was never used.
  ship = await Ship.launch();
  page = await newSignedInPage(browser, ship);
});
test.afterAll(async () => {
  await page.context().close();
  await ship.remove();
});

test('[DM1] one click on an empty page starts the demo, and a repeated request starts no second one', async () => {
  await page.goto('/');
  await expect(page.getByText('Only the model is a script')).toBeVisible(LONG_TIMEOUT);
  const asked = page.waitForRequest((request) => request.url().endsWith('/api/demo'));
  await page.getByRole('button', { name: 'Run the demo' }).click();
  const body = (await asked).postDataJSON() as { requestId: string };
  await expect(page).toHaveURL(/\/sessions\/ses_/, LONG_TIMEOUT);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/^Demo/, LONG_TIMEOUT);
  const again = await callApi(page, 'POST', '/demo', body);
  expect(page.url()).toContain(String(again?.['sessionId']));
});

test('[RV6] a diff that is slow or fails at first is shown without a reload', async () => {
  test.setTimeout(400_000);
  const session = page.url();
  const files = page.getByRole('navigation', { name: 'Changed files' }).getByRole('button');
  const failure = page.getByRole('alert').filter({ hasText: 'reach Ship' });
  await page.goto(`${session}/review`);
  await expect(page.getByText('Draft', { exact: true })).toBeVisible(AGENT_TIMEOUT);
  await expect(files.first()).toBeVisible(LONG_TIMEOUT);

  // A slow diff: longer than the timeout of other reads.
  const diff = '**/pull-request/diff';
  await page.route(diff, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 8_000));
    await route.continue();
  });
  await page.reload();
  await expect(page.getByText('Draft', { exact: true })).toBeVisible(LONG_TIMEOUT);
  await expect(files.first()).toBeVisible({ timeout: 30_000 });
  await expect(page.getByRole('alert')).toHaveCount(0);
  await page.unroute(diff);

  let isAway = true;
  await page.route(diff, (route) => (isAway ? route.abort() : route.continue()));
  await page.reload();
  await expect(failure).toBeVisible(LONG_TIMEOUT);
  isAway = false;
  await expect(files.first()).toBeVisible({ timeout: 30_000 });
  await expect(failure).toHaveCount(0);
  await page.unroute(diff);
  await page.goto(session);
});

test('[RV4] [WB17] by keyboard alone: a pull request is highlighted, commented on, marked ready and merged', async () => {
  test.setTimeout(300_000);
  await page.goto(`${page.url()}/review`);
  // The pull request appears without a reload; its actions are enabled when the turn ends.
  await expect(page.getByText('Draft', { exact: true })).toBeVisible(AGENT_TIMEOUT);
  const files = page.getByRole('navigation', { name: 'Changed files' });
  await expect(files.getByRole('button').first()).toBeVisible(LONG_TIMEOUT);
  await expect(page.getByText('The agent is working')).toHaveCount(0, AGENT_TIMEOUT);
  const keyword = page.locator('[data-file]').getByText('return', { exact: true }).first();
  await expect(keyword).toHaveCSS('color', 'rgb(116, 64, 168)', LONG_TIMEOUT);
  await expectAccessible(page);

  await page.keyboard.press('j');
  const file = page.locator('[data-file]').first();
  await expect(file.getByRole('button', { expanded: true })).toBeFocused();
  await page.keyboard.press('c');
  await expect(page.getByRole('textbox', { name: 'Comment' })).toBeFocused();
  await page.keyboard.type('Say it in one line.');
  await page.keyboard.press('Control+Enter');
  await expect(page.getByText('1 comment')).toBeVisible();
  await page.keyboard.press('v');
  await expect(page.getByText('1 of 1 viewed')).toBeVisible();
  await expect(file.getByRole('button', { expanded: false })).toBeVisible();

  // The viewed mark and the comment survive the reload.
  await page.reload();
  await expect(page.getByText('1 of 1 viewed')).toBeVisible(LONG_TIMEOUT);
  await expect(page.getByText('1 comment')).toBeVisible();

  await page.getByRole('button', { name: 'Mark ready' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByText('Ready for review')).toBeVisible(LONG_TIMEOUT);
  await page.getByRole('button', { name: 'Merge', exact: true }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Merge' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByText('Merged', { exact: true })).toBeVisible(LONG_TIMEOUT);

  await page.keyboard.press('Control+Enter');
  await expect(page.getByText('1 comment')).toHaveCount(0, LONG_TIMEOUT);
  await page.getByRole('link', { name: 'Back to session' }).click();
  await expect(page.getByText('Say it in one line.')).toBeVisible(LONG_TIMEOUT);
});
