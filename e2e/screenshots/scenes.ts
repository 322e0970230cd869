import type { Page } from '@playwright/test';
import { expect } from '@playwright/test';
import { panes } from './pane-scenes.ts';
import { LONG_TIMEOUT, type Scene, all, three, waitForText } from './scene.ts';

/** Before the first session. */
export const EMPTY_SCENES: readonly Scene[] = [
  { name: 'home-first-run', path: '/', shots: three, prepare: waitForText('Run the demo') },
  { name: 'board-empty', path: '/board', shots: three },
  { name: 'usage-empty', path: '/usage', shots: three },
];

const settings = [
  'general',
  'models',
  'agent',
  'repositories',
  'forges',
  'limits',
  'network',
  'secrets',
  'tokens',
  'browser',
] as const;

/** Shortcuts only work outside of text fields. */
async function press(page: Page, keys: string): Promise<void> {
  await waitForText('Needs attention')(page);
  await page.locator('#main').focus();
  await page.keyboard.press(keys);
}

export const SCENES: readonly Scene[] = [
  { name: 'home', path: '/', shots: all, prepare: waitForText('Needs attention') },
  { name: 'board', path: '/board', shots: all, prepare: waitForText('Remember the cart') },
  {
    name: 'session-booting',
    path: { session: 'booting' },
    shots: three,
    prepare: waitForText('Setup'),
  },
  {
    name: 'session-working',
    path: { session: 'search' },
    shots: all,
    prepare: waitForText(/for n in/),
  },
  {
    name: 'session-question',
    path: { session: 'question' },
    shots: three,
    prepare: waitForText('Which format'),
  },
  {
    name: 'session-plan',
    path: { session: 'plan' },
    shots: three,
    prepare: waitForText('integer cents'),
  },
  {
    name: 'session-error',
    path: { session: 'error' },
    shots: three,
    prepare: waitForText(/^Retry$/),
  },
  {
    name: 'session-finished',
    path: { session: 'merged' },
    shots: [
      [1440, 'dark'],
      [1024, 'light'],
      [390, 'light'],
    ],
    prepare: (page) =>
      page
        .getByRole('button', { name: /Confidence/ })
        .first()
        .click(LONG_TIMEOUT),
  },
  ...panes,
  {
    name: 'review',
    path: { session: 'finished', rest: '/review' },
    shots: all,
    prepare: (page) => expect(page.locator('[data-file]').first()).toBeVisible(LONG_TIMEOUT),
  },
  ...settings.map((section) => ({
    name: `settings-${section}`,
    path: `/settings/${section}`,
    shots: three,
  })),
  { name: 'usage', path: '/usage', shots: all, prepare: waitForText('By model') },
  {
    name: 'usage-confidence',
    path: '/usage',
    shots: three,
    prepare: (page) =>
      page
        .getByRole('region', { name: 'Confidence and outcome' })
        .evaluate((card) => card.scrollIntoView({ block: 'end' })),
  },
  { name: 'system', path: '/system', shots: three },
  {
    name: 'palette',
    path: '/',
    shots: three,
    async prepare(page) {
      await press(page, 'Control+k');
      await expect(page.getByRole('combobox').last()).toBeFocused(LONG_TIMEOUT);
    },
  },
  {
    name: 'shortcuts',
    path: '/',
    shots: three,
    async prepare(page) {
      await press(page, '?');
      await expect(page.getByRole('dialog')).toBeVisible(LONG_TIMEOUT);
    },
  },
  { name: 'not-found', path: '/nothing/here', shots: three },
];

/** After the server has stopped. */
export const LOST_SCENES: readonly Scene[] = [
  { name: 'reconnecting', path: null, shots: three, prepare: waitForText('Reconnecting') },
];
