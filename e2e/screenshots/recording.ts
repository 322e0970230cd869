/** Records a task, from the first key press to the review, as a short animated image. */
import { statSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { expect } from '@playwright/test';
import sharp from 'sharp';
import { SAMPLE_REPOSITORY } from '@ship/demo-model';

interface Frame {
  readonly picture: Buffer;
  readonly atMs: number;
}

const AGENT_TIMEOUT = { timeout: 240_000 };
const SIZE = { width: 1200, height: 750 };
const PICTURE_WIDTH = 960;
/** Keeps one frame per interval and shows it for less time: the page itself shows the real durations. */
const FRAME_INTERVAL_MS = 1200;
const SHOWN_MS = 380;
const LAST_SHOWN_MS = 3500;

/** Returns the id of the new session. */
export async function record(page: Page, repository: string, file: string): Promise<string> {
  await page.setViewportSize(SIZE);
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await page.goto('/');
  const task = page.getByRole('textbox', { name: 'Task' });
  await expect(task).toBeFocused(AGENT_TIMEOUT);
  await expect(page.locator('[data-skeleton]')).toHaveCount(0, AGENT_TIMEOUT);
  const stop = await startCapture(page);
  await task.pressSequentially(SAMPLE_REPOSITORY.prompt, { delay: 25 });
  await page.getByRole('button', { name: 'Choose a repository' }).click();
  await page.getByRole('combobox', { name: 'Repositories' }).fill(repository);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await expect(page).toHaveURL(/\/sessions\/ses_/, AGENT_TIMEOUT);
  const sessionId = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  const review = page.getByRole('link', { name: /^Review #/ }).first();
  await expect(review).toBeVisible(AGENT_TIMEOUT);
  await expect(page.getByRole('button', { name: /Confidence/ })).toBeVisible(AGENT_TIMEOUT);
  await review.click();
  await expect(page.locator('[data-file]').first()).toBeVisible(AGENT_TIMEOUT);
  const bytes = await encode(await stop(), file);
  process.stdout.write(`recording  ${Math.round(bytes / 1000)} kB\n`);
  return sessionId;
}

/** Captures the frames that the browser paints. */
async function startCapture(page: Page): Promise<() => Promise<Frame[]>> {
  const frames: Frame[] = [];
  const client = await page.context().newCDPSession(page);
  client.on('Page.screencastFrame', ({ data, metadata, sessionId }) => {
    frames.push({
      picture: Buffer.from(data, 'base64'),
      atMs: (metadata.timestamp ?? Date.now() / 1000) * 1000,
    });
    // The recording may be over when the last frame arrives.
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
    if (frame === frames.at(-1) || frame.atMs - (kept.at(-1)?.atMs ?? 0) >= FRAME_INTERVAL_MS)
      kept.push(frame);
  const pictures = await Promise.all(
    kept.map(({ picture }) => sharp(picture).resize(PICTURE_WIDTH).png().toBuffer()),
  );
  const delay = kept.map((_, index) => (index === kept.length - 1 ? LAST_SHOWN_MS : SHOWN_MS));
  await sharp(pictures, { join: { animated: true } })
    // At a lower quality, light greys of earlier frames shine through: the encoder treats them as equal.
    .webp({ quality: 88, effort: 4, delay, loop: 0, minSize: true })
    .toFile(file);
  return statSync(file).size;
}
