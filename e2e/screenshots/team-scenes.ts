import type { Browser } from '@playwright/test';
import { expect } from '@playwright/test';
import type { Ship } from '../ship.ts';
import { openTeam } from '../team.ts';
import { attempt } from './attempt.ts';
import { shoot } from './camera.ts';
import { LONG_TIMEOUT, type Scene, three, waitForText } from './scene.ts';

/** Scenes of a signed-out browser on a team server. */
const SCENES: readonly Scene[] = [
  { name: 'sign-in', path: '/', shots: three, prepare: waitForText('Sign in to Ship') },
  {
    name: 'sign-in-refused',
    path: '/',
    shots: [
      [1440, 'dark'],
      [1024, 'light'],
      [390, 'light'],
    ],
    async prepare(page) {
      await page.getByLabel('API token', { exact: true }).fill('ship_mistyped', LONG_TIMEOUT);
      await page.keyboard.press('Enter');
      await expect(page.getByRole('alert')).toBeVisible(LONG_TIMEOUT);
    },
  },
];

/** Scenes of a browser without a sign-in link on one machine. */
const LINK_SCENES: readonly Scene[] = [
  {
    name: 'sign-in-link',
    path: '/',
    shots: three,
    prepare: waitForText('npx --no-install ship open'),
  },
  {
    name: 'sign-in-link-used',
    path: '/#sign-in=used-already',
    shots: [
      [1024, 'dark'],
      [390, 'light'],
    ],
    prepare: waitForText('This link was used already'),
  },
];

/** Takes the pictures of signed-out browsers: at a new team server, and at the given Ship. */
export async function takeSignedOutScenes(
  browser: Browser,
  ship: Ship,
  folder: string,
  isWanted: (name: string) => boolean,
): Promise<void> {
  const isAnyWanted = SCENES.some(({ name }) => isWanted(name));
  const team = isAnyWanted ? await openTeam() : undefined;
  try {
    if (team !== undefined) await take(browser, team.url, SCENES);
    await take(browser, ship.url, LINK_SCENES);
  } finally {
    await team?.close();
  }

  async function take(visitor: Browser, baseURL: string, scenes: readonly Scene[]) {
    const context = await visitor.newContext({ baseURL, reducedMotion: 'reduce' });
    const page = await context.newPage();
    for (const scene of scenes.filter(({ name }) => isWanted(name)))
      await attempt(scene.name, async () => {
        const bytes = await shoot(page, scene, null, folder);
        process.stdout.write(`${scene.name}  ${Math.round(bytes / 1000)} kB\n`);
      });
    await context.close();
  }
}
