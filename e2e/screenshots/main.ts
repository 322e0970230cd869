/**
 * `npm run screenshots [-- NAME…]` takes pictures of all important pages and states of a real Ship with real sessions, into
 * docs/screenshots. Names select scenes. With `--again` it retakes the pictures for each line on standard input, for work on the
 * web app.
 */
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { chromium, expect } from '@playwright/test';
import { ROOT } from '../../scripts/setup/paths.mjs';
import config from '../playwright.config.ts';
import { attempt } from './attempt.ts';
import { shoot } from './camera.ts';
import { record } from './recording.ts';
import type { Scene } from './scene.ts';
import { EMPTY_SCENES, LOST_SCENES, SCENES } from './scenes.ts';
import { takeSignedOutScenes } from './team-scenes.ts';
import { type SessionName, addRepositories, createSessions, launchEmptyWorld } from './world.ts';

const FOLDER = join(ROOT, 'docs', 'screenshots');
const args = process.argv.slice(2);
const names = args.filter((name) => !name.startsWith('--'));
const again = args.includes('--again');
const wanted = (name: string, asked = names) =>
  asked.length === 0 || asked.some((part) => name.startsWith(part));

/** Home and board show all sessions. */
const isNeeded = (session: SessionName) =>
  SCENES.some(
    ({ name, path }) =>
      wanted(name) &&
      (path === '/' ||
        path === '/board' ||
        (typeof path === 'object' && path?.session === session)),
  );
const startedAtMs = performance.now();
const seconds = () => Math.round((performance.now() - startedAtMs) / 1000);

const browser = await chromium.launch(config.use?.launchOptions);
const empty = await launchEmptyWorld(browser);
const { page } = empty;
try {
  await takeSignedOutScenes(browser, empty.ship, FOLDER, wanted);
  await take(EMPTY_SCENES, null);
  await page.goto('/');
  await addRepositories(empty);
  const { sessions } = await createSessions(empty, isNeeded);
  process.stdout.write(`there are sessions after ${seconds()} s\n`);
  await take(SCENES, sessions);
  if (wanted('recording'))
    await attempt('recording', () => record(page, empty.library, join(FOLDER, 'task.webp')));
  if (again)
    for await (const line of createInterface({ input: process.stdin }))
      await take(SCENES, sessions, line.split(/\s+/).filter(Boolean));
  await page.goto('/');
  await expect(page.locator('[data-skeleton]')).toHaveCount(0, { timeout: 60_000 });
  await empty.ship.stop();
  await take(LOST_SCENES, null);
} finally {
  await browser.close();
  await empty.remove();
}

async function take(
  scenes: readonly Scene[],
  sessions: Parameters<typeof shoot>[2],
  asked = names,
): Promise<void> {
  for (const scene of scenes.filter(({ name }) => wanted(name, asked)))
    await attempt(scene.name, async () => {
      const bytes = await shoot(page, scene, sessions, FOLDER);
      process.stdout.write(`${scene.name}  ${Math.round(bytes / 1000)} kB\n`);
    });
  process.stdout.write(`taken after ${seconds()} s\n`);
}
