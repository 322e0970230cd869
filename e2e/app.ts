/** Shared helpers of the browser tests. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, Page } from '@playwright/test';
import { type Ship, expect } from './ship.ts';

/** Generous, because the machine may be busy with other tests; only conditions wait for it. */
export const LONG_TIMEOUT = { timeout: 60_000 };

export function createRepository(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ship-e2e-repository-'));
  writeFileSync(join(folder, 'README.md'), '# A repository\n');
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=e2e', '-c', 'user.email=e2e@localhost', ...args], {
      cwd: folder,
    });
  git('init', '--quiet', '--initial-branch=main');
  git('add', '.');
  git('commit', '--quiet', '--message=first');
  return folder;
}

/** Calls the API from the page, with its cookie and origin. */
export async function callApi(page: Page, method: string, path: string, body?: unknown) {
  const text = await page.evaluate(
    async ([verb, where, sent]) => {
      const response = await fetch(where ?? '', {
        method: verb ?? 'GET',
        ...(sent !== null && { headers: { 'content-type': 'application/json' }, body: sent }),
      });
      if (!response.ok) throw new Error(`${verb} ${where}: ${await response.text()}`);
      return response.text();
    },
    [method, `/api${path}`, body === undefined ? null : JSON.stringify(body)] as const,
  );
  return (text === '' ? null : JSON.parse(text)) as Record<string, unknown> | null;
}

/** Opens a signed-in page in a new browser context. */
export async function newSignedInPage(browser: Browser, ship: Ship): Promise<Page> {
  const context = await browser.newContext({ baseURL: ship.url });
  await ship.signIn(context);
  return context.newPage();
}

export async function expectAccessible(page: Page): Promise<void> {
  // Otherwise axe opens a second page for each analysis to merge the results of frames.
  const hasFrames = page.frames().length > 1;
  const { violations } = await new AxeBuilder({ page }).setLegacyMode(!hasFrames).analyze();
  expect(
    violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]),
    page.url(),
  ).toEqual([]);
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - window.innerWidth,
  );
  expect(overflow, page.url()).toBeLessThanOrEqual(0);
}
