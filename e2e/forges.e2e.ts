import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startForge } from '@ship/forge';
import { LONG_TIMEOUT, callApi, expectAccessible } from './app.ts';
import { Ship, expect, test } from './ship.ts';

const TOKEN = 'github_pat_of-a-test-0123456789';

test('[FT7] a token for GitHub is set, checked, replaced and removed', async ({ page }) => {
  const folder = mkdtempSync(join(tmpdir(), 'ship-e2e-github-'));
  let nowMs = Date.now();
  const expiresAt = nowMs + 3_600_000;
  const github = await startForge({
    root: folder,
    now: () => new Date(nowMs),
    tokens: [{ token: TOKEN, login: 'ada', expiresAt }],
  });
  const ship = await Ship.launchWithEnv({
    GITHUB_URL: github.gitUrl,
    GITHUB_API_URL: github.apiUrl,
    GITHUB_TOKEN: '',
  });
  try {
    await ship.signIn(page.context());
    await page.goto(`${ship.url}/settings/forges`);
    const section = page.getByRole('region', { name: 'Forges' });
    await expect(section.getByText('No token:')).toBeVisible(LONG_TIMEOUT);
    await expect(section.getByText('Folders on this machine')).toBeVisible();
    await expect(section.getByRole('button', { name: 'Check GitHub' })).toHaveCount(0);
    await expectAccessible(page);

    await section.getByLabel('Token', { exact: true }).fill('github_pat_wrong');
    await section.getByRole('button', { name: 'Set token' }).click();
    await expect(section.getByRole('alert')).toContainText(
      'does not accept this token',
      LONG_TIMEOUT,
    );
    await expect(section.getByRole('alert')).toContainText('Nothing was stored');
    await expect(section.getByText('No token:')).toBeVisible();

    const field = section.getByLabel('Token', { exact: true });
    await field.fill(` ${TOKEN} `);
    await field.press('Enter');
    await expect(section.getByRole('status')).toContainText('signs in as ada', LONG_TIMEOUT);
    await expect(section.getByRole('alert')).toHaveCount(0);
    await expect(section.getByLabel('New token')).toHaveValue('');
    await page.reload();
    await expect(section.getByText(/Token set here .* signs in as ada/)).toBeVisible(LONG_TIMEOUT);
    expect(JSON.stringify(await callApi(page, 'GET', '/forges'))).not.toContain(TOKEN);

    nowMs = expiresAt + 1;
    const check = section.getByRole('button', { name: 'Check GitHub' });
    await check.click();
    await expect(section.getByRole('alert')).toContainText('has expired', LONG_TIMEOUT);
    nowMs = expiresAt - 1;
    await check.click();
    await expect(section.getByRole('status')).toContainText('signs in as ada', LONG_TIMEOUT);
    await expect(section.getByRole('alert')).toHaveCount(0);

    await github.close();
    await section.getByLabel('New token').fill('github_pat_another');
    await section.getByRole('button', { name: 'Replace token' }).click();
    await expect(section.getByRole('alert')).toContainText(
      'Ship could not check its access',
      LONG_TIMEOUT,
    );
    await expect(section.getByRole('alert')).toContainText('The token is stored');
    await expect(section.getByText(/Token set here .* not checked yet/)).toBeVisible(LONG_TIMEOUT);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 390, height: 844 });
    await expectAccessible(page);

    const remove = section.getByRole('button', { name: 'Remove the token' });
    await remove.click();
    await page.keyboard.press('Escape');
    await expect(section.getByText(/Token set here/)).toBeVisible();
    await remove.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await expect(section.getByText('No token:')).toBeVisible(LONG_TIMEOUT);
  } finally {
    // Close the page first: without its server it logs errors, which fail the test.
    await page.close();
    await ship.remove();
    rmSync(folder, { recursive: true, force: true });
  }
});
