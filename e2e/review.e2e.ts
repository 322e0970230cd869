import { rmSync } from 'node:fs';
import { PATIENT, call, expectAccessible, makeRepository } from './app.ts';
import { expect, test } from './ship.ts';

let repository = '';
test.beforeAll(() => {
  repository = makeRepository();
});
test.afterAll(() => rmSync(repository, { recursive: true, force: true }));

test('[RV4] by keyboard alone: a pull request is read, commented on, marked ready and merged', async ({
  page,
}) => {
  // Starts a sandbox and the real agent: seconds on an idle machine, minutes on a busy one.
  test.setTimeout(300_000);
  const worked = { timeout: 240_000 };
  await page.goto('/');
  const made = await call(page, 'POST', '/sessions', {
    requestId: `e2e-review-${Date.now()}`,
    repository,
    prompt: 'Write down how this repository is tested',
  });
  const sessionId = String(made?.['sessionId']);
  await page.goto(`/sessions/${sessionId}/review`);
  await expect(page.getByText('No pull request yet')).toBeVisible(PATIENT);
  // It comes by itself, and its actions with the end of the turn.
  await expect(page.getByText('Draft', { exact: true })).toBeVisible(worked);
  const files = page.getByRole('navigation', { name: 'Changed files' });
  await expect(files.getByRole('button').first()).toBeVisible(PATIENT);
  await expect(page.getByText('The agent is working')).toHaveCount(0, worked);
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

  // Neither the tick nor the comment is lost.
  await page.reload();
  await expect(page.getByText('1 of 1 viewed')).toBeVisible(PATIENT);
  await expect(page.getByText('1 comment')).toBeVisible();

  await page.getByRole('button', { name: 'Mark ready' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByText('Ready for review')).toBeVisible(PATIENT);
  await page.getByRole('button', { name: 'Merge', exact: true }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Merge' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByText('Merged', { exact: true })).toBeVisible(PATIENT);

  await page.keyboard.press('Control+Enter');
  await expect(page.getByText('1 comment')).toHaveCount(0, PATIENT);
  await page.getByRole('link', { name: 'Back to the session' }).click();
  await expect(page.getByText('Say it in one line.')).toBeVisible(PATIENT);
});
