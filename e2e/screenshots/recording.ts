/** A task from the first key to the review, as a short animated picture. */
import { statSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { expect } from '@playwright/test';
import sharp from 'sharp';
import { SAMPLE_REPOSITORY } from '@ship/demo-model';

interface Frame {
  readonly picture: Buffer;
  readonly atMs: number;
}

const WORKED = { timeout: 240_000 };
const SIZE = { width: 1200, height: 750 };
const PICTURE_WIDTH = 960;
/** Of every so much time one frame is kept, and shown for less: the times that count are in the page itself. */
const MIN_GAP_MS = 1200;
const SHOWN_MS = 380;
const LAST_SHOWN_MS = 3500;

/** Gives the session that was made. */
export async function record(page: Page, repository: string, file: string): Promise<string> {
  await page.setViewportSize(SIZE);
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await page.goto('/');
  const task = page.getByRole('textbox', { name: 'Task' });
  await expect(task).toBeFocused(WORKED);
  await expect(page.locator('[data-skeleton]')).toHaveCount(0, WORKED);
  const stop = await film(page);
  await task.pressSequentially(SAMPLE_REPOSITORY.prompt, { delay: 25 });
  await page.getByRole('button', { name: 'Choose a repository' }).click();
  await page.getByRole('combobox', { name: 'Repositories' }).fill(repository);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await expect(page).toHaveURL(/\/sessions\/ses_/, WORKED);
  const sessionId = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  const review = page.getByRole('link', { name: /^Review #/ }).first();
  await expect(review).toBeVisible(WORKED);
  await expect(page.getByRole('button', { name: /Confidence/ })).toBeVisible(WORKED);
  await review.click();
  await expect(page.locator('[data-file]').first()).toBeVisible(WORKED);
  const bytes = await encode(await stop(), file);
  process.stdout.write(`recording  ${Math.round(bytes / 1000)} kB\n`);
  return sessionId;
}

/** What the browser paints, as it paints it. */
async function film(page: Page): Promise<() => Promise<Frame[]>> {
  const frames: Frame[] = [];
  const client = await page.context().newCDPSession(page);
  client.on('Page.screencastFrame', ({ data, metadata, sessionId }) => {
    frames.push({
      picture: Buffer.from(data, 'base64'),
      atMs: (metadata.timestamp ?? Date.now() / 1000) * 1000,
    });
    // It may be over when a last frame is on its way.
    client.send('Page.screencastFrameAck', { sessionId }).catch(() => undefined);
  });
  await client.send('Page.startScreencast', { format: 'png', everyNthFrame: 1 });
  return async () => {
    frames.push({ picture: await page.screenshot(), atMs: Date.now() });
    await client.send('Page.stopScreencast');
    await client.detach();
    return frames;
  };
}

async function encode(frames: readonly Frame[], file: string): Promise<number> {
  const kept: Frame[] = [];
  for (const frame of frames)
    if (frame === frames.at(-1) || frame.atMs - (kept.at(-1)?.atMs ?? 0) >= MIN_GAP_MS)
      kept.push(frame);
  const pictures = await Promise.all(
    kept.map(({ picture }) => sharp(picture).resize(PICTURE_WIDTH).png().toBuffer()),
  );
  const delay = kept.map((_, index) => (index === kept.length - 1 ? LAST_SHOWN_MS : SHOWN_MS));
  await sharp(pictures, { join: { animated: true } })
    // With less, light greys of a frame before shine through: the encoder takes them for the same.
    .webp({ quality: 88, effort: 4, delay, loop: 0, minSize: true })
    .toFile(file);
  return statSync(file).size;
}
