import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { expect } from '@playwright/test';
import sharp from 'sharp';
import { HEIGHTS, type Scene, type Width } from './scene.ts';
import type { World } from './world.ts';

const PATIENT = { timeout: 60_000 };
const LOOK_EVERY_MS = 400;
const MOST_LOOKS = 5;
/** Data on its way, or text whose markdown is not read yet. */
const UNFINISHED = '[aria-busy=true], [data-skeleton], [data-plain]';

/** Takes every picture of a scene; gives the bytes that they have together. */
export async function shoot(
  page: Page,
  { name, path, shots, prepare }: Scene,
  sessions: World['sessions'] | null,
  folder: string,
): Promise<number> {
  mkdirSync(folder, { recursive: true });
  let bytes = 0;
  let isAt: Width | null = null;
  for (const [width, scheme] of shots) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    // Another scheme at the same width is the same page in other colours.
    if (isAt !== width) {
      await page.setViewportSize({ width, height: HEIGHTS[width] });
      await visit(page, addressOf(path, sessions));
      await prepare?.(page);
      isAt = width;
    }
    await expect(page.locator(UNFINISHED)).toHaveCount(0, PATIENT);
    await expect(page.getByRole('link', { name: /^Connecting/ })).toHaveCount(0, PATIENT);
    await page.evaluate(() => document.fonts.ready);
    await page.mouse.move(0, 0);
    const picture = await settled(page);
    const file = join(folder, `${name}-${width}-${scheme}.webp`);
    // Text stays sharp at this quality, and a picture is a third of its PNG.
    await sharp(picture).webp({ quality: 78, effort: 4, smartSubsample: true }).toFile(file);
    bytes += statSync(file).size;
  }
  return bytes;
}

/** Colours of code come from a worker, and those of another scheme by a transition: until nothing moves any more. */
async function settled(page: Page): Promise<Buffer> {
  let before = await page.screenshot();
  for (let look = 0; look < MOST_LOOKS; look++) {
    await page.waitForTimeout(LOOK_EVERY_MS);
    const now = await page.screenshot();
    if (now.equals(before)) return now;
    before = now;
  }
  // A clock on the page never stands still.
  return before;
}

function addressOf(path: Scene['path'], sessions: World['sessions'] | null): string | null {
  if (path === null || typeof path === 'string') return path;
  const sessionId = sessions?.[path.session];
  if (sessionId === undefined) throw new Error(`there is no session "${path.session}"`);
  return `/sessions/${sessionId}${path.rest ?? ''}`;
}

/** Null stays where it is: without a server no page can be loaded anew. */
async function visit(page: Page, address: string | null): Promise<void> {
  if (address !== null) await page.goto(address);
  await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible(PATIENT);
}
