import { gzipSync } from 'node:zlib';
import type { Response } from '@playwright/test';
import { LONG_TIMEOUT, callApi, newSignedInPage } from './app.ts';
import { expect, test } from './ship.ts';

test('[WB2] cards move by keyboard and by drag and drop, in every browser at once', async ({
  page,
  browser,
  ship,
}) => {
  await page.goto('/board');
  const backlog = page.getByRole('region', { name: 'Backlog' });
  for (const title of ['Third', 'Second', 'First']) {
    await page.getByRole('button', { name: 'Add a task', exact: true }).click();
    await page.getByRole('textbox', { name: 'Title' }).fill(title);
    await page.keyboard.press('Enter');
    await expect(backlog.getByRole('button', { name: title, exact: true })).toBeVisible(
      LONG_TIMEOUT,
    );
  }
  const other = await newSignedInPage(browser, ship);
  await other.goto('/board');
  const titles = (of: typeof page) =>
    of.getByRole('region', { name: 'Backlog' }).locator('[data-card]').allTextContents();
  await expect.poll(() => titles(other), LONG_TIMEOUT).toEqual(['First', 'Second', 'Third']);

  await backlog.getByRole('button', { name: 'First', exact: true }).focus();
  await page.keyboard.press('Alt+ArrowDown');
  await expect.poll(() => titles(other), LONG_TIMEOUT).toEqual(['Second', 'First', 'Third']);
  await expect(backlog.getByRole('button', { name: 'First', exact: true })).toBeFocused();
  await expect(page.getByText('First moved to Backlog.')).toBeAttached();

  const cards = other.getByRole('region', { name: 'Backlog' }).getByRole('listitem');
  await cards.nth(2).dragTo(cards.nth(0), { targetPosition: { x: 40, y: 4 } });
  await expect.poll(() => titles(page), LONG_TIMEOUT).toEqual(['Third', 'Second', 'First']);

  // A task without a repository cannot start: the card moves back, and a toast shows the reason.
  await backlog.getByRole('button', { name: 'Third', exact: true }).focus();
  await page.keyboard.press('Alt+ArrowRight');
  await expect(page.getByRole('region', { name: 'Messages' })).toContainText(
    /repository/i,
    LONG_TIMEOUT,
  );
  await expect.poll(() => titles(page), LONG_TIMEOUT).toEqual(['Third', 'Second', 'First']);
  await other.context().close();
});

test('[WB3] settings are validated, saved, and updated in other browsers at once', async ({
  page,
  browser,
  ship,
}) => {
  const other = await newSignedInPage(browser, ship);
  await Promise.all([page.goto('/settings/limits'), other.goto('/settings/limits')]);
  const limits = page.getByRole('form', { name: 'Limits' });
  const steps = limits.getByRole('textbox', { name: 'Steps per turn' });
  await steps.fill('0');
  await expect(limits.getByText(/whole number from 1/)).toBeVisible();
  await expect(limits.getByRole('button', { name: 'Save' })).toBeDisabled();
  await steps.fill('31');
  await page.keyboard.press('Enter');
  await expect(limits.getByRole('status')).toHaveText('Saved', LONG_TIMEOUT);
  await expect(
    other.getByRole('form', { name: 'Limits' }).getByRole('textbox', { name: 'Steps per turn' }),
  ).toHaveValue('31', LONG_TIMEOUT);
  await other.context().close();
});

test('[WB9] secrets are write-only; a token is shown once', async ({ page }) => {
  await page.goto('/settings/repositories');
  await page.getByRole('button', { name: 'Add a repository' }).click();
  await page.getByRole('textbox', { name: 'Location' }).fill('https://example.com/acme/shop.git');
  await page.getByRole('textbox', { name: 'Setup command' }).fill('npm ci');
  await page.getByRole('button', { name: 'Add repository', exact: true }).click();
  const shop = page.getByRole('region', { name: 'shop' });
  await shop.locator('summary').click(LONG_TIMEOUT);
  await shop.getByRole('textbox', { name: 'Name' }).last().fill('api_key');
  await shop.getByLabel('Value').fill('planted-secret-value');
  await shop.getByRole('button', { name: 'Save secret' }).click();
  await expect(shop.getByText('API_KEY')).toBeVisible(LONG_TIMEOUT);
  await page.reload();
  await page.getByRole('region', { name: 'shop' }).locator('summary').click(LONG_TIMEOUT);
  await expect(page.getByRole('region', { name: 'shop' }).getByText('API_KEY')).toBeVisible(
    LONG_TIMEOUT,
  );
  expect(JSON.stringify(await callApi(page, 'GET', '/secrets'))).not.toContain('planted');
  expect(await page.content()).not.toContain('planted-secret-value');

  await page.goto('/settings/tokens');
  await page.getByRole('textbox', { name: 'Name of the new token' }).fill('robot');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Copy it now')).toBeVisible(LONG_TIMEOUT);
  await page.reload();
  await expect(page.getByRole('button', { name: 'Revoke robot' })).toBeVisible(LONG_TIMEOUT);
  await expect(page.getByText('Copy it now')).toHaveCount(0);
  await page.getByRole('button', { name: 'Revoke robot' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await expect(page.getByRole('button', { name: 'Revoke robot' })).toHaveCount(0, LONG_TIMEOUT);
});

test('[WB10] the first page needs at most 250 KB of compressed JavaScript', async ({ page }) => {
  const sizes: Promise<number>[] = [];
  const weigh = (response: Response) => {
    if (response.request().resourceType() === 'script')
      sizes.push(response.body().then((body) => gzipSync(body).byteLength));
  };
  page.on('response', weigh);
  await page.goto('/');
  await expect(page.getByRole('textbox', { name: 'Task' })).toBeFocused(LONG_TIMEOUT);
  await expect(page.getByRole('button', { name: 'Choose a repository' })).toBeVisible(LONG_TIMEOUT);
  // Stop listening: prefetched scripts are not part of the first load, and reading a body that is still loading when the test ends
  // would fail.
  page.off('response', weigh);
  const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  expect(total).toBeGreaterThan(50_000);
  expect(total).toBeLessThanOrEqual(250_000);
});
