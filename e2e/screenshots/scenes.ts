import type { Page } from '@playwright/test';
import { expect } from '@playwright/test';
import { panes } from './pane-scenes.ts';
import { PATIENT, type Scene, all, sees, three } from './scene.ts';

/** Before anything was done. */
export const EMPTY_SCENES: readonly Scene[] = [
  { name: 'home-first-run', path: '/', shots: three, prepare: sees('Run the demo') },
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

/** Keys belong to the page only where the cursor is in no field. */
async function press(page: Page, keys: string): Promise<void> {
  await sees('Needs attention')(page);
  await page.locator('#main').focus();
  await page.keyboard.press(keys);
}

export const SCENES: readonly Scene[] = [
  { name: 'home', path: '/', shots: all, prepare: sees('Needs attention') },
  { name: 'board', path: '/board', shots: all, prepare: sees('Remember the cart') },
  {
    name: 'session-booting',
    path: { session: 'booting' },
    shots: three,
    prepare: sees('Setup'),
  },
  { name: 'session-working', path: { session: 'search' }, shots: all, prepare: sees(/for n in/) },
  {
    name: 'session-question',
    path: { session: 'question' },
    shots: three,
    prepare: sees('Which format'),
  },
  { name: 'session-plan', path: { session: 'plan' }, shots: three, prepare: sees('integer cents') },
  { name: 'session-error', path: { session: 'error' }, shots: three, prepare: sees(/^Retry$/) },
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
        .click(PATIENT),
  },
  ...panes,
  {
    name: 'review',
    path: { session: 'finished', rest: '/review' },
    shots: all,
    prepare: (page) => expect(page.locator('[data-file]').first()).toBeVisible(PATIENT),
  },
  ...settings.map((section) => ({
    name: `settings-${section}`,
    path: `/settings/${section}`,
    shots: three,
  })),
  { name: 'usage', path: '/usage', shots: all, prepare: sees('By model') },
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
      await expect(page.getByRole('combobox').last()).toBeFocused(PATIENT);
    },
  },
  {
    name: 'shortcuts',
    path: '/',
    shots: three,
    async prepare(page) {
      await press(page, '?');
      await expect(page.getByRole('dialog')).toBeVisible(PATIENT);
    },
  },
  { name: 'not-found', path: '/nothing/here', shots: three },
];

/** The server has been stopped: what the open page says then. */
export const LOST_SCENES: readonly Scene[] = [
  { name: 'reconnecting', path: null, shots: three, prepare: sees('Reconnecting') },
];
