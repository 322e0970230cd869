import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { expect } from '@playwright/test';
import sharp from 'sharp';
import { HEIGHTS, type Scene } from './scenes.ts';
import type { World } from './world.ts';

const PATIENT = { timeout: 60_000 };

/** Takes every picture of a scene; gives the bytes that they have together. */
export async function shoot(
  page: Page,
  { name, path, shots, prepare }: Scene,
  sessions: World['sessions'] | null,
  folder: string,
): Promise<number> {
  mkdirSync(folder, { recursive: true });
  let bytes = 0;
  for (const [width, scheme] of shots) {
    await page.setViewportSize({ width, height: HEIGHTS[width] });
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    await page.goto(
      typeof path === 'string' ? path : `/sessions/${sessions?.[path.session]}${path.rest ?? ''}`,
    );
    await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible(PATIENT);
    await prepare?.(page);
    await expect(page.locator('[aria-busy]')).toHaveCount(0, PATIENT);
    await page.evaluate(() => document.fonts.ready);
    await page.mouse.move(0, 0);
    const file = join(folder, `${name}-${width}-${scheme}.webp`);
    // Text stays sharp at this quality, and a picture is a third of its PNG.
    await sharp(await page.screenshot())
      .webp({ quality: 80, effort: 6, smartSubsample: true })
      .toFile(file);
    bytes += statSync(file).size;
  }
  return bytes;
}
