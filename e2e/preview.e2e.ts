import { readFileSync, rmSync } from 'node:fs';
import type { Page } from '@playwright/test';
import type { Sandbox } from 'e2b';
import { LONG_TIMEOUT, callApi, expectAccessible, createRepository } from './app.ts';
import { sandboxOf } from './sandbox.ts';
import { expect, test } from './ship.ts';

const DEV_SERVER = new URL('../scripts/testing/tiny-dev-server.cjs.txt', import.meta.url);

let repository = '';
test.beforeAll(() => {
  repository = createRepository();
});
test.afterAll(() => rmSync(repository, { recursive: true, force: true }));

async function newSession(page: Page): Promise<string> {
  const made = await callApi(page, 'POST', '/sessions', {
    requestId: `e2e-preview-${Date.now()}`,
    repository,
    title: 'Preview',
  });
  return String(made?.['sessionId']);
}

async function serve(sandbox: Sandbox, port: number, text: string): Promise<void> {
  await sandbox.files.write('dev.cjs', readFileSync(DEV_SERVER, 'utf8'));
  await sandbox.files.write(`page-${port}.txt`, text);
  await sandbox.commands.run(`node dev.cjs ${port} page-${port}.txt`, {
    background: true,
    timeoutMs: 0,
  });
}

test('[PW1] the preview shows a server in the sandbox, hot-reloads, and is isolated from the app', async ({
  page,
  ship,
  problems,
}) => {
  await page.goto('/');
  const sessionId = await newSession(page);
  await page.goto(`/sessions/${sessionId}`);
  await page.getByRole('region', { name: 'Timeline' }).focus(LONG_TIMEOUT);
  await page.keyboard.press('4');
  const drawer = page.getByRole('complementary', { name: 'Drawer' });
  const sandbox = await sandboxOf(ship, sessionId);
  await expect(drawer.getByText('No server running yet')).toBeVisible(LONG_TIMEOUT);

  await serve(sandbox, 5173, 'first words');
  const frame = page.frameLocator('iframe[title="Port 5173 of the sandbox"]');
  await expect(frame.locator('#text')).toHaveText('first words', LONG_TIMEOUT);
  await expect(frame.locator('#echo')).toHaveText('echo:ping over tiny-hmr', LONG_TIMEOUT);
  await expectAccessible(page);

  // Hot reload: the file changes, the socket reports it, and the frame updates without input.
  await sandbox.files.write('page-5173.txt', 'second words');
  await expect(frame.locator('#text')).toHaveText('second words', LONG_TIMEOUT);
  await expect(drawer.getByRole('combobox', { name: 'Port' })).toHaveValue('5173');

  // The preview has its own origin: it neither has our cookies nor can it call our API.
  const inside = page.frames().find((one) => one.url().includes('5173-'));
  expect(inside?.url()).toBe(
    `http://5173-${sessionId.slice(4)}.ship-preview.localhost:${ship.port}/`,
  );
  const seen = await inside?.evaluate(async (api) => {
    const echoed = (await (await fetch('/echo')).json()) as { headers: Record<string, string> };
    const called = await fetch(`${api}/api/settings`, { credentials: 'include' }).then(
      ({ status }) => status,
      () => 'refused',
    );
    return { own: document.cookie, sent: echoed.headers['cookie'] ?? null, called };
  }, ship.url);
  expect(seen).toEqual({ own: '', sent: null, called: 'refused' });
  problems.length = 0;

  // Other open ports are in the list; paths and closed ports can be typed.
  await serve(sandbox, 8081, 'another program');
  const picker = drawer.getByRole('combobox', { name: 'Port' });
  await expect(picker.getByRole('option')).toHaveText(['5173', '8081'], LONG_TIMEOUT);
  await picker.selectOption('8081');
  const second = page.frameLocator('iframe[title="Port 8081 of the sandbox"]');
  await expect(second.locator('#text')).toHaveText('another program', LONG_TIMEOUT);
  const address = drawer.getByRole('textbox', { name: 'Address' });
  await address.fill('/echo?from=bar');
  await address.press('Enter');
  await expect(second.locator('body')).toContainText('"url":"/echo?from=bar"', LONG_TIMEOUT);
  await address.fill('localhost:3999');
  await address.press('Enter');
  const silent = page.frameLocator('iframe[title="Port 3999 of the sandbox"]');
  await expect(silent.locator('h1')).toHaveText('Nothing listens on port 3999 yet', LONG_TIMEOUT);
  await serve(sandbox, 3999, 'late, but here');
  await expect(silent.locator('#text')).toHaveText('late, but here', LONG_TIMEOUT);

  // One port's page cannot use another port's cookie: the browser would send it, but Ship refuses the request.
  const other = page.frames().find((one) => one.url().includes('3999-'));
  const stolen = await other?.evaluate(
    async (url) => {
      const read = await fetch(`${url}/echo`, { credentials: 'include' }).then(
        ({ status }) => status,
        () => 'refused',
      );
      const socket = await new Promise<string>((resolve) => {
        const opened = new WebSocket(`${url.replace('http', 'ws')}/hmr`, 'tiny-hmr');
        opened.addEventListener('open', () => resolve('open'));
        opened.addEventListener('error', () => resolve('refused'));
      });
      return { read, socket };
    },
    `http://5173-${sessionId.slice(4)}.ship-preview.localhost:${ship.port}`,
  );
  expect(stolen).toEqual({ read: 'refused', socket: 'refused' });
  problems.length = 0;

  const [tab] = await Promise.all([
    page.context().waitForEvent('page'),
    drawer.getByRole('button', { name: 'Open in a new tab' }).click(),
  ]);
  await expect(tab.locator('#text')).toHaveText('late, but here', LONG_TIMEOUT);
  expect(await tab.evaluate(() => window.opener === null)).toBe(true);
  await tab.close();

  await callApi(page, 'POST', `/sessions/${sessionId}/sandbox/pause`, {});
  await drawer.getByRole('button', { name: 'Resume' }).click(LONG_TIMEOUT);
  await expect(silent.locator('#text')).toHaveText('late, but here', LONG_TIMEOUT);
});

test('[ED2] an editor that fails to install shows its progress, the reason, a retry, and the file read-only', async ({
  page,
  ship,
}) => {
  await page.goto('/');
  const sessionId = await newSession(page);
  await sandboxOf(ship, sessionId);
  // The repository is cloned with the first prompt, so mock the file request.
  await page.route('**/files/content?*', (route) =>
    route.fulfill({ contentType: 'text/plain; charset=utf-8', body: 'one\ntwo\nthree\n' }),
  );
  await page.goto(`/sessions/${sessionId}?pane=editor&at=notes.txt:2`);
  const drawer = page.getByRole('complementary', { name: 'Drawer' });
  const progress = drawer.getByRole('region', { name: 'Editor is being prepared' });
  await expect(progress.locator('[aria-current=step]')).toContainText(
    'Download VS Code',
    LONG_TIMEOUT,
  );
  await expect(drawer.getByRole('region', { name: 'notes.txt', exact: true })).toContainText('two');
  ship.registry.refuse(true);
  const alert = drawer.getByRole('alert');
  await expect(alert).toContainText('403 Forbidden', LONG_TIMEOUT);
  await expect(alert).toContainText('npm reaches its registry');
  await expectAccessible(page);
  ship.registry.refuse(false);
  await alert.getByRole('button', { name: 'Retry' }).click();
  await expect(progress).toBeVisible(LONG_TIMEOUT);
  await expect(alert).toHaveCount(0);
});

/** Sets every cookie that it can for the app's host, and asks the browser to clear its site data. */
const HOSTILE = `
const http = require('http');
http.createServer((request, response) => {
  const own = request.headers['x-forwarded-host'];
  const port = own.split(':')[1];
  const names = ['ship_' + port, 'ship_port_' + port];
  const domains = ['ship.localhost', 'localhost', own.split(':')[0].split('.').slice(1).join('.')];
  const cookies = names.flatMap((name) =>
    domains.flatMap((domain) => [
      name + '=hostile; Path=/; Domain=' + domain,
      name + '=hostile; Path=/api; Domain=' + domain,
    ]));
  response.writeHead(200, {
    'content-type': 'text/html',
    'clear-site-data': '"cookies", "storage"',
    'set-cookie': [...cookies, 'app=kept'],
  });
  response.end('<!doctype html><title>hostile</title><p id=done></p><script>' +
    'for (const cookie of ' + JSON.stringify(cookies) + ') document.cookie = cookie;' +
    'document.querySelector("#done").textContent = "tried";</script>');
}).listen(6600);`;

test('[AT-M61] attack: a page of a sandbox sets cookies for the app’s host, and signs its user out', async ({
  page,
  ship,
}) => {
  await page.goto('/');
  const sessionId = await newSession(page);
  const sandbox = await sandboxOf(ship, sessionId);
  await sandbox.files.write('hostile.cjs', HOSTILE);
  await sandbox.commands.run('node hostile.cjs', { background: true, timeoutMs: 0 });
  await page.evaluate(() => localStorage.setItem('kept', 'yes'));
  const cookies = async () =>
    (await page.context().cookies(ship.url)).map(({ name, value, path }) => [name, value, path]);
  const before = await cookies();

  // In the app's frame, and in a tab.
  await page.goto(`/sessions/${sessionId}?pane=preview`);
  const frame = page.frameLocator('iframe[title="Port 6600 of the sandbox"]');
  await expect(frame.locator('#done')).toHaveText('tried', LONG_TIMEOUT);
  // Its own cookies still work there.
  const inside = page.frames().find((one) => one.url().includes('6600-'));
  expect(await inside?.evaluate(() => document.cookie)).toContain('app=kept');
  const ticket = await callApi(page, 'POST', `/sessions/${sessionId}/ports/6600/ticket`, {});
  const tab = await page.context().newPage();
  await tab.goto(String(ticket?.['url']));
  await expect(tab.locator('#done')).toHaveText('tried', LONG_TIMEOUT);
  await tab.reload();
  await expect(tab.locator('#done')).toHaveText('tried', LONG_TIMEOUT);
  await tab.close();

  expect(await cookies()).toEqual(before);
  await page.goto('/settings/tokens');
  await expect(page.getByRole('textbox', { name: 'Name of the new token' })).toBeVisible(
    LONG_TIMEOUT,
  );
  expect(await page.evaluate(() => localStorage.getItem('kept'))).toBe('yes');
});
