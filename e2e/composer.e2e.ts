import { rmSync } from 'node:fs';
import { LONG_TIMEOUT, callApi, expectAccessible, createRepository } from './app.ts';
import { expect, test } from './ship.ts';

let repository = '';
test.beforeAll(() => {
  repository = createRepository();
});
test.afterAll(() => rmSync(repository, { recursive: true, force: true }));

/** One pixel. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

test('[CM1] the composer runs commands, finds files, and sends attachments', async ({ page }) => {
  await page.goto('/');
  const made = await callApi(page, 'POST', '/sessions', {
    requestId: `e2e-composer-${Date.now()}`,
    repository,
    title: 'Composer',
  });
  await page.goto(`/sessions/${String(made?.['sessionId'])}`);
  const box = page.getByRole('textbox', { name: 'Prompt' });
  const options = page.getByRole('option');

  await box.fill('/re');
  await expect(options).toHaveText([/retry/, /review/, /rename/, /resume/], LONG_TIMEOUT);
  await page.keyboard.press('ArrowDown');
  await expect(options.nth(1)).toHaveAttribute('aria-selected', 'true');
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(options).toHaveCount(0);

  await box.fill('/rename Another name');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Another name', LONG_TIMEOUT);
  await box.fill('/plan');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Plan', exact: true })).toBeVisible(LONG_TIMEOUT);

  await box.fill('Look at @rdm');
  await expect(options).toHaveText(['@README.md'], LONG_TIMEOUT);
  await page.keyboard.press('Enter');
  await expect(box).toHaveValue('Look at @README.md ');

  const picker = page.getByLabel('Files to attach');
  const attached = page.getByRole('form', { name: 'Prompt' }).getByRole('listitem');
  await picker.setInputFiles([
    { name: 'pixel.png', mimeType: 'image/png', buffer: Buffer.from(PNG, 'base64') },
    { name: 'program', mimeType: 'text/plain', buffer: Buffer.from([0, 1, 2, 3]) },
  ]);
  await expect(page.getByRole('region', { name: 'Messages' })).toContainText(
    'Only images (PNG, JPEG, GIF, WebP) and text can be attached',
    LONG_TIMEOUT,
  );
  await expect(attached).toHaveText(['pixel.png']);
  await expect(page.getByRole('button', { name: 'Send' })).toBeEnabled(LONG_TIMEOUT);
  await box.press('Enter');
  await expect(attached).toHaveCount(0, LONG_TIMEOUT);
  const picture = page.getByRole('img', { name: 'pixel.png' });
  await expect(picture).toBeVisible({ timeout: 120_000 });
  await expect
    .poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth), LONG_TIMEOUT)
    .toBe(1);
});

test('[CM5] the first prompt has attachments; a refused one leaves no session behind', async ({
  page,
}) => {
  await page.goto('/');
  const form = page.getByRole('form', { name: 'New task' });
  const attached = form.getByRole('listitem');
  await page.getByRole('textbox', { name: 'Task' }).fill('Make it look like this');
  await page.getByRole('button', { name: 'Choose a repository' }).click(LONG_TIMEOUT);
  await page.getByRole('combobox', { name: 'Repositories' }).fill(repository);
  await page.keyboard.press('Enter');
  await form.getByLabel('Files to attach').setInputFiles([
    { name: 'pixel.png', mimeType: 'image/png', buffer: Buffer.from(PNG, 'base64') },
    { name: 'program', mimeType: 'text/plain', buffer: Buffer.from([0, 1, 2, 3]) },
  ]);
  await expect(attached).toHaveText(['pixel.png', 'program'], LONG_TIMEOUT);
  await expectAccessible(page);
  const sessions = async () => {
    const list = await callApi(page, 'GET', '/sessions');
    return (list?.['sessions'] as unknown[] | undefined)?.length;
  };
  const before = await sessions();
  await form.getByRole('button', { name: 'Start', exact: true }).click();
  await expect(form.getByRole('alert')).toContainText('Only images', LONG_TIMEOUT);
  await expect.poll(sessions, LONG_TIMEOUT).toBe(before);
  await form.getByRole('button', { name: 'Remove program' }).click();
  await form.getByRole('button', { name: 'Start', exact: true }).click();
  await expect(page).toHaveURL(/\/sessions\/ses_/, LONG_TIMEOUT);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(
    'Make it look like this',
    LONG_TIMEOUT,
  );
  // Queued or already running: the prompt has the attachment.
  const sessionId = new URL(page.url()).pathname.split('/').at(-1);
  const state = async () => JSON.stringify(await callApi(page, 'GET', `/sessions/${sessionId}`));
  await expect.poll(state, LONG_TIMEOUT).toContain('pixel.png');
});
