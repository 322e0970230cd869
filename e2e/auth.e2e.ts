import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LONG_TIMEOUT, expectAccessible } from './app.ts';
import { expect, test } from './ship.ts';

/** The results of API calls from a page, with the cookies that the browser adds automatically. */
interface CallResults {
  read: number | string;
  written: number | string;
  socket: string;
}

/** Runs in the page. */
async function callAll(origin: string): Promise<CallResults> {
  const request = async (path: string, init: RequestInit) => {
    try {
      return (await fetch(origin + path, { credentials: 'include', ...init })).status;
    } catch {
      return 'failed';
    }
  };
  const socket = await new Promise<string>((resolve) => {
    const opened = new WebSocket(`${origin.replace('http', 'ws')}/api/live`);
    opened.addEventListener('message', ({ data }) => resolve(String(data)));
    opened.addEventListener('error', () => resolve('refused'));
  });
  return {
    read: await request('/api/tokens', {}),
    written: await request('/api/tokens', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"name":"made in a browser"}',
    }),
    socket,
  };
}

test('[AU15] the bare address explains how to get a link; a link opens its page and keeps the browser signed in', async ({
  browser,
  ship,
}) => {
  const context = await browser.newContext({ baseURL: ship.url });
  const page = await context.newPage();
  await page.goto('/');
  await expect(page.getByRole('heading', { name: 'Sign in to Ship' })).toBeVisible(LONG_TIMEOUT);
  await expect(page.getByRole('button', { name: 'Copy npx --no-install ship open' })).toBeVisible(
    LONG_TIMEOUT,
  );
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await expectAccessible(page);
  }
  expect(await context.cookies()).toEqual([]);

  // Opened in the same page, where a link only changes the fragment.
  const link = await ship.signInLink();
  await page.goto(link);
  await expect(page.getByRole('textbox', { name: 'Task' })).toBeVisible(LONG_TIMEOUT);
  expect(page.url()).toBe(`${ship.url}/`);
  const cookies = await context.cookies();
  expect(cookies).toMatchObject([{ httpOnly: true, sameSite: 'Strict', domain: 'ship.localhost' }]);
  expect(cookies[0]?.expires).toBeGreaterThan(Date.now() / 1000 + 300 * 24 * 60 * 60);
  await page.goto(await ship.signInLink('/settings/tokens'));
  await expect(page.getByRole('textbox', { name: 'Name of the new token' })).toBeVisible(
    LONG_TIMEOUT,
  );
  expect(page.url()).toBe(`${ship.url}/settings/tokens`);

  await context.close();

  const other = await browser.newContext({ baseURL: ship.url });
  const signedOut = await other.newPage();
  await signedOut.goto(link);
  await expect(signedOut.getByRole('alert')).toContainText(
    'This link was used already',
    LONG_TIMEOUT,
  );
  await expectAccessible(signedOut);
  await other.close();
});

test('[AU5] a signed-in browser can use the API and the live list', async ({ page, ship }) => {
  await page.goto('/');
  const { read, written, socket } = await page.evaluate(callAll, ship.url);
  expect([read, written]).toEqual([200, 201]);
  expect(socket).toContain('"hello"');
});

test('[AU6] a sandbox page on a subdomain of the app cannot use them', async ({
  page,
  ship,
  problems,
}) => {
  await page.goto('/');
  const sandbox = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end('<!doctype html><title>hostile</title>');
  });
  await new Promise<void>((resolve) => sandbox.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = sandbox.address() as AddressInfo;
    await page.goto(`http://8080-abc.ship.localhost:${port}/`);
    const cookiesOf = (url: string) => page.context().cookies(url);
    expect(await cookiesOf(page.url())).toEqual([]);
    expect(await cookiesOf(ship.url)).toHaveLength(1);
    const before = await tokens();
    expect(await page.evaluate(callAll, ship.url)).toEqual({
      read: 'failed',
      written: 'failed',
      socket: 'refused',
    });
    // The browser sends a form post without a preflight; it must have no effect.
    await page.evaluate(async (origin) => {
      await fetch(`${origin}/api/tokens`, {
        method: 'POST',
        mode: 'no-cors',
        credentials: 'include',
        body: '{"name":"forged"}',
      }).catch(() => undefined);
    }, ship.url);
    expect(await tokens()).toBe(before);
    problems.length = 0;
  } finally {
    sandbox.closeAllConnections();
    sandbox.close();
  }

  /** The token list as the app's own page sees it. */
  async function tokens(): Promise<string> {
    const own = await page.context().newPage();
    await own.goto('/');
    const text = await own.evaluate(async () => (await fetch('/api/tokens')).text());
    await own.close();
    return text;
  }
});
