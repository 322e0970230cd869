import { LONG_TIMEOUT, callApi, expectAccessible } from './app.ts';
import { expect, test as base } from './ship.ts';
import { OWNER_TOKEN, openTeam } from './team.ts';

const test = base.extend<object, { team: Awaited<ReturnType<typeof openTeam>> }>({
  team: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of the fixtures from this pattern
    async ({}, use) => {
      const team = await openTeam();
      await use(team);
      await team.close();
    },
    { scope: 'worker' },
  ],
  baseURL: async ({ team }, use) => use(team.url),
  // Each test signs in itself.
  // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of the fixtures from this pattern
  signIn: [({}, use) => use(async () => undefined), { scope: 'worker' }],
});

test('[AU14] a sign-in by keyboard opens the requested page, and a sign-out ends it', async ({
  page,
}) => {
  await page.goto('/settings/tokens');
  const field = page.getByLabel('API token', { exact: true });
  await expect(field).toBeFocused(LONG_TIMEOUT);
  await expect(page.getByRole('navigation')).toHaveCount(0);
  await expect(page).toHaveTitle(/Sign in/);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await expectAccessible(page);
  }
  await page.keyboard.type('ship_not-a-token');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('alert')).toContainText('not valid', LONG_TIMEOUT);
  await expectAccessible(page);

  await field.fill(` ${OWNER_TOKEN} `);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('textbox', { name: 'Name of the new token' })).toBeVisible(
    LONG_TIMEOUT,
  );
  const cookies = await page.context().cookies();
  expect(cookies).toMatchObject([{ httpOnly: true, sameSite: 'Strict' }]);
  expect(JSON.stringify(cookies)).not.toContain(OWNER_TOKEN);
  // Wait for the socket: one that is still connecting at sign-out is refused, which the browser logs as an error. The page before
  // the reload may open a socket without frames, so only frames after the navigation count.
  const opened = new Promise<void>((resolve) => {
    let isReloaded = false;
    page.once('framenavigated', () => (isReloaded = true));
    page.on('websocket', (socket) =>
      socket.on('framereceived', () => {
        if (isReloaded) resolve();
      }),
    );
  });
  await page.reload();
  await opened;
  await page.getByRole('button', { name: 'Sign out' }).click(LONG_TIMEOUT);
  await expect(page.getByLabel('API token', { exact: true })).toBeFocused(LONG_TIMEOUT);
  expect(await page.context().cookies()).toEqual([]);
});

test('[AU14] an open page is signed out when its token is revoked', async ({
  page,
  browser,
  team,
  problems,
}) => {
  const owner = await browser.newContext({ baseURL: team.url });
  const ownersPage = await owner.newPage();
  await ownersPage.goto('/');
  await ownersPage.getByLabel('API token', { exact: true }).fill(OWNER_TOKEN, LONG_TIMEOUT);
  await ownersPage.keyboard.press('Enter');
  await expect(ownersPage.getByRole('textbox', { name: 'Task' })).toBeVisible(LONG_TIMEOUT);
  const made = await callApi(ownersPage, 'POST', '/tokens', { name: 'Ada' });
  const token = made?.['token'] as { tokenId: string } | undefined;

  await page.goto('/board');
  await page.getByLabel('API token', { exact: true }).fill(String(made?.['value']), LONG_TIMEOUT);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('region', { name: 'Backlog' })).toBeVisible(LONG_TIMEOUT);
  await expect(page.getByRole('button', { name: 'Sign out' })).toHaveAttribute('title', /Ada/);
  await callApi(ownersPage, 'DELETE', `/tokens/${token?.tokenId}`);
  await expect(page.getByRole('heading', { name: 'Sign in to Ship' })).toBeVisible(LONG_TIMEOUT);
  await expect(page.getByText('Backlog')).toHaveCount(0);
  // The page's reconnect was refused before it noticed the sign-out.
  problems.length = 0;
  await owner.close();
});
