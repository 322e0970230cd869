import { rmSync } from 'node:fs';
import { LONG_TIMEOUT, callApi, createRepository, newSignedInPage } from './app.ts';
import { Ship, expect, test } from './ship.ts';

let repository = '';
test.beforeAll(() => {
  repository = createRepository();
});
test.afterAll(() => rmSync(repository, { recursive: true, force: true }));

const newSession = async (page: import('@playwright/test').Page, title: string) => {
  const made = await callApi(page, 'POST', '/sessions', {
    requestId: `e2e-${title}-${Date.now()}`,
    repository,
    title,
  });
  return String(made?.['sessionId']);
};

test('[WB4] by keyboard alone: a task starts a session and its sandbox', async ({ page }) => {
  await page.goto('/');
  await expect(page.getByRole('textbox', { name: 'Task' })).toBeFocused(LONG_TIMEOUT);
  await page.keyboard.type('Say hello in the README');
  await page.keyboard.press('Tab');
  await expect(page.getByRole('button', { name: 'Choose a repository' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('combobox', { name: 'Repositories' })).toBeFocused(LONG_TIMEOUT);
  await page.keyboard.type(repository);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: `Repository: ${repository}` })).toBeVisible();
  await page.keyboard.press('Shift+Tab');
  await expect(page.getByRole('textbox', { name: 'Task' })).toBeFocused();
  await page.keyboard.press('Control+Enter');
  await expect(page).toHaveURL(/\/sessions\/ses_/, LONG_TIMEOUT);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(
    'Say hello in the README',
    LONG_TIMEOUT,
  );
  await page.keyboard.press('6');
  const drawer = page.getByRole('complementary', { name: 'Drawer' });
  await expect(drawer.getByRole('region', { name: 'Stages' })).toContainText(
    'Sandbox',
    LONG_TIMEOUT,
  );
  await drawer.getByRole('radio', { name: 'Events' }).check({ force: true });
  await expect(drawer.getByText('sandbox.ready')).toBeVisible(LONG_TIMEOUT);
  await expect(page).toHaveURL(/pane=logs/);
  await page.keyboard.press('Escape');
  await page.getByRole('region', { name: 'Timeline' }).focus();
  await page.keyboard.press('0');
  await expect(drawer).toBeHidden();
});

test('[WB5] two browsers show the same session live', async ({ page, browser, ship }) => {
  await page.goto('/');
  const path = `/sessions/${await newSession(page, 'Shared')}`;
  const other = await newSignedInPage(browser, ship);
  await Promise.all([page.goto(path), other.goto(path)]);
  await expect(other.getByRole('heading', { level: 1 })).toHaveText('Shared', LONG_TIMEOUT);
  await page.getByRole('button', { name: 'Rename session' }).click();
  await page.getByRole('textbox', { name: 'Title' }).fill('Renamed');
  await page.keyboard.press('Enter');
  await expect(other.getByRole('heading', { level: 1 })).toHaveText('Renamed', LONG_TIMEOUT);
  await expect(other).toHaveTitle(/Renamed/);
  await other.context().close();
});

test('[WB1] page and session recover automatically after a server restart', async ({
  browser,
  problems,
}) => {
  const ship = await Ship.launch();
  try {
    const page = await newSignedInPage(browser, ship);
    await page.goto('/');
    const sessionId = await newSession(page, 'Survivor');
    await page.goto(`/sessions/${sessionId}`);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Survivor', LONG_TIMEOUT);
    await ship.stop();
    await expect(page.getByText(/connection was lost/i)).toBeVisible(LONG_TIMEOUT);
    await ship.start();
    await expect(page.getByText(/connection was lost/i)).toHaveCount(0, LONG_TIMEOUT);
    await callApi(page, 'PATCH', `/sessions/${sessionId}`, {
      requestId: `e2e-rename-${Date.now()}`,
      title: 'Survived',
    });
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Survived', LONG_TIMEOUT);
    await page.close();
  } finally {
    await ship.remove();
    problems.length = 0;
  }
});

test('[WB5] a long log opens at its end, and older pages load without moving the view', async ({
  page,
}) => {
  await page.goto('/');
  const sessionId = await newSession(page, 'Long');
  await page.evaluate(async (id) => {
    for (let n = 1; n <= 250; n += 1)
      await fetch(`/api/sessions/${id}`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ requestId: `e2e-name-${n}-${id}`, title: `Name ${n}` }),
      });
  }, sessionId);
  await page.goto(`/sessions/${sessionId}`);
  const timeline = page.getByRole('region', { name: 'Timeline' });
  await expect(timeline.getByText('Renamed to “Name 250”')).toBeInViewport(LONG_TIMEOUT);
  await expect(timeline.getByText('Renamed to “Name 1”', { exact: true })).toHaveCount(0);
  // The list is virtualized.
  expect(await timeline.getByRole('listitem').count()).toBeLessThan(100);
  await timeline.focus();
  await expect(async () => {
    await page.keyboard.press('PageUp');
    await expect(timeline.getByText('Renamed to “Name 1”', { exact: true })).toBeVisible({
      timeout: 250,
    });
  }).toPass({ ...LONG_TIMEOUT, intervals: [50] });
  await page.getByRole('button', { name: 'Jump to latest' }).click();
  await expect(timeline.getByText('Renamed to “Name 250”')).toBeInViewport(LONG_TIMEOUT);
});

test('an unknown session shows an error', async ({ page }) => {
  await page.goto('/sessions/ses_01aaaaaaaaaaaaaaaaaaaaaaaa');
  await expect(page.getByRole('alert')).toContainText('There is no such session', LONG_TIMEOUT);
});

test('[WB11] a prompt leads to a draft pull request; a second turn is stopped', async ({
  page,
}) => {
  // Starts a sandbox and the real agent: seconds on an idle machine, minutes on a busy one.
  test.setTimeout(300_000);
  const AGENT_TIMEOUT = { timeout: 240_000 };
  await page.goto('/');
  const made = await callApi(page, 'POST', '/sessions', {
    requestId: `e2e-task-${Date.now()}`,
    repository,
    prompt: 'Write down how this repository is tested',
  });
  await page.goto(`/sessions/${String(made?.['sessionId'])}`);
  const timeline = page.getByRole('region', { name: 'Timeline' });
  const asked = timeline.getByText('Write down how this repository is tested', { exact: true });
  await expect(asked).toBeVisible(LONG_TIMEOUT);
  await expect(page.getByRole('button', { name: 'Stop' })).toBeVisible(AGENT_TIMEOUT);
  await page.getByRole('textbox', { name: 'Prompt' }).fill('And a second thing');
  await page.keyboard.press('Enter');
  const queue = page.getByRole('region', { name: 'Queue' });
  await expect(queue).toContainText('And a second thing', LONG_TIMEOUT);
  await queue.getByRole('button', { name: /^Remove/ }).click();
  await expect(queue).toHaveCount(0, LONG_TIMEOUT);

  // The turn ends: its tools collapse into one row, and its answer and pull request are shown.
  await expect(timeline.getByText(/Worked .*tool/)).toBeVisible(AGENT_TIMEOUT);
  await expect(timeline.getByText(/Draft pull request #\d+/)).toBeVisible(AGENT_TIMEOUT);
  await timeline.getByText(/Worked .*tool/).click();
  await expect(timeline.getByRole('button', { name: /completed/ }).first()).toBeVisible(
    LONG_TIMEOUT,
  );

  await page
    .getByRole('textbox', { name: 'Prompt' })
    .fill('Write down how this repository is released');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Stop' })).toBeVisible(AGENT_TIMEOUT);
  // On a busy machine two key presses may be too far apart to count as one gesture.
  await expect(async () => {
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await expect(
      timeline.getByText(/asked the agent to stop|stopped the agent/).first(),
    ).toBeVisible({
      timeout: 1000,
    });
  }).toPass({ timeout: 60_000 });
  await expect(timeline.getByText(/stopped the agent/)).toBeVisible(AGENT_TIMEOUT);
});
