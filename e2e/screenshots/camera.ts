import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { expect } from '@playwright/test';
import sharp from 'sharp';
import { HEIGHTS, type Scene, type Width } from './scene.ts';
import type { World } from './world.ts';

const LONG_TIMEOUT = { timeout: 60_000 };
const CHECK_INTERVAL_MS = 400;
const MAX_CHECKS = 5;
/** Loading data, or Markdown that is not rendered yet. */
const UNFINISHED = '[aria-busy=true], [data-skeleton], [data-plain]';

/** Takes all pictures of a scene; returns their total size in bytes. */
export async function shoot(
  page: Page,
  { name, path, shots, prepare }: Scene,
  sessions: World['sessions'] | null,
  folder: string,
): Promise<number> {
  mkdirSync(folder, { recursive: true });
  let bytes = 0;
  let currentWidth: Width | null = null;
  for (const [width, scheme] of shots) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    // Another scheme at the same width needs no reload.
    if (currentWidth !== width) {
      await page.setViewportSize({ width, height: HEIGHTS[width] });
      await openPage(page, addressOf(path, sessions));
      await prepare?.(page);
      currentWidth = width;
    }
    await expect(page.locator(UNFINISHED)).toHaveCount(0, LONG_TIMEOUT);
    await expect(page.getByRole('link', { name: /^Connecting/ })).toHaveCount(0, LONG_TIMEOUT);
    await page.evaluate(() => document.fonts.ready);
    await page.mouse.move(0, 0);
    const picture = await stableScreenshot(page);
    const file = join(folder, `${name}-${width}-${scheme}.webp`);
    // Text stays sharp at this quality, at a third of the size of a PNG.
    await sharp(picture).webp({ quality: 78, effort: 4, smartSubsample: true }).toFile(file);
    bytes += statSync(file).size;
  }
  return bytes;
}

/** Waits until two screenshots are equal: code colours arrive from a worker, and a scheme change is a transition. */
async function stableScreenshot(page: Page): Promise<Buffer> {
  let before = await page.screenshot();
  for (let check = 0; check < MAX_CHECKS; check++) {
    await page.waitForTimeout(CHECK_INTERVAL_MS);
    const now = await page.screenshot();
    if (now.equals(before)) return now;
    before = now;
  }
  // A running clock never settles.
  return before;
}

function addressOf(path: Scene['path'], sessions: World['sessions'] | null): string | null {
  if (path === null || typeof path === 'string') return path;
  const sessionId = sessions?.[path.session];
  if (sessionId === undefined) throw new Error(`there is no session "${path.session}"`);
  return `/sessions/${sessionId}${path.rest ?? ''}`;
}

/** Null keeps the current page: without a server nothing can be loaded. */
async function openPage(page: Page, address: string | null): Promise<void> {
  if (address !== null) await page.goto(address);
  await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible(LONG_TIMEOUT);
}
