import type { Browser } from '@playwright/test';
import { expect } from '@playwright/test';
import { openTeam } from '../team.ts';
import { attempt } from './attempt.ts';
import { shoot } from './camera.ts';
import { PATIENT, type Scene, sees, three } from './scene.ts';

/** What somebody sees who is not known to the server of a team. */
const SCENES: readonly Scene[] = [
  { name: 'sign-in', path: '/', shots: three, prepare: sees('Sign in to Ship') },
  {
    name: 'sign-in-refused',
    path: '/',
    shots: [
      [1440, 'dark'],
      [1024, 'light'],
      [390, 'light'],
    ],
    async prepare(page) {
      await page.getByLabel('API token', { exact: true }).fill('ship_mistyped', PATIENT);
      await page.keyboard.press('Enter');
      await expect(page.getByRole('alert')).toBeVisible(PATIENT);
    },
  },
];

/** A team has a server of its own. */
export async function takeTeam(
  browser: Browser,
  folder: string,
  isWanted: (name: string) => boolean,
): Promise<void> {
  const wanted = SCENES.filter(({ name }) => isWanted(name));
  if (wanted.length === 0) return;
  const team = await openTeam();
  try {
    const context = await browser.newContext({ baseURL: team.url, reducedMotion: 'reduce' });
    const page = await context.newPage();
    for (const scene of wanted)
      await attempt(scene.name, async () => {
        const bytes = await shoot(page, scene, null, folder);
        process.stdout.write(`${scene.name}  ${Math.round(bytes / 1000)} kB\n`);
      });
    await context.close();
  } finally {
    await team.close();
  }
}
