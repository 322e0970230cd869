import type { Page } from '@playwright/test';
import { expect } from '@playwright/test';
import type { SessionName } from './world.ts';

type Width = 390 | 1024 | 1440;
type Scheme = 'light' | 'dark';

export interface Scene {
  readonly name: string;
  readonly path: string | { readonly session: SessionName; readonly rest?: string };
  readonly shots: readonly (readonly [Width, Scheme])[];
  /** Before the picture: what must be there, and what is pressed. */
  readonly prepare?: (page: Page) => Promise<void>;
}

export const HEIGHTS: Readonly<Record<Width, number>> = { 390: 844, 1024: 768, 1440: 900 };
const PATIENT = { timeout: 30_000 };
const wide = [[1440, 'light']] as const;
const wideAndNarrow = [
  [1440, 'light'],
  [390, 'dark'],
] as const;
const all = [
  [1440, 'light'],
  [1440, 'dark'],
  [1024, 'light'],
  [390, 'light'],
] as const;

const sees = (text: string | RegExp) => (page: Page) =>
  expect(page.getByText(text).first()).toBeVisible(PATIENT);

/** Before anything was done. */
export const EMPTY_SCENES: readonly Scene[] = [
  { name: 'home-first-run', path: '/', shots: wideAndNarrow, prepare: sees('Run the demo') },
];

export const SCENES: readonly Scene[] = [
  { name: 'home', path: '/', shots: all, prepare: sees('Needs you') },
  { name: 'board', path: '/board', shots: all },
  { name: 'session-working', path: { session: 'search' }, shots: all },
  {
    name: 'session-question',
    path: { session: 'question' },
    shots: wideAndNarrow,
    prepare: sees('Which format'),
  },
  {
    name: 'session-plan',
    path: { session: 'plan' },
    shots: [
      [1440, 'dark'],
      [390, 'light'],
    ],
    prepare: sees('integer cents'),
  },
  { name: 'session-error', path: { session: 'error' }, shots: wideAndNarrow },
  {
    name: 'session-finished',
    path: { session: 'merged' },
    shots: [
      [1440, 'dark'],
      [390, 'light'],
    ],
    prepare: (page) =>
      page
        .getByRole('button', { name: /Confidence/ })
        .first()
        .click(PATIENT),
  },
  { name: 'pane-changes', path: { session: 'finished', rest: '?pane=changes' }, shots: all },
  {
    name: 'pane-terminal',
    path: { session: 'search', rest: '?pane=terminal' },
    shots: wideAndNarrow,
    async prepare(page) {
      const screen = page.locator('.xterm-screen').first();
      await expect(screen).toBeVisible(PATIENT);
      await screen.click();
      await page.keyboard.type('git status --short && node --test 2>&1 | tail -8\n');
      await expect(page.locator('.xterm-accessibility, .xterm-rows').first()).toContainText(
        /duration_ms/,
        PATIENT,
      );
    },
  },
  {
    name: 'pane-preview',
    path: { session: 'search', rest: '?pane=preview' },
    shots: wide,
    prepare: (page) =>
      expect(page.frameLocator('iframe').first().getByText('Oak shelf')).toBeVisible(PATIENT),
  },
  {
    name: 'pane-files',
    path: { session: 'search', rest: '?pane=files' },
    shots: wideAndNarrow,
    prepare: (page) => page.getByText('shop.js', { exact: true }).first().click(PATIENT),
  },
  { name: 'pane-logs', path: { session: 'merged', rest: '?pane=logs' }, shots: wideAndNarrow },
  { name: 'review', path: { session: 'finished', rest: '/review' }, shots: all },
  ...['general', 'models', 'repositories', 'limits', 'network', 'secrets', 'tokens', 'browser'].map(
    (section, index) => ({
      name: `settings-${section}`,
      path: `/settings/${section}`,
      shots: index % 2 === 0 ? wideAndNarrow : wide,
    }),
  ),
  { name: 'usage', path: '/usage', shots: wideAndNarrow },
  { name: 'system', path: '/system', shots: wide },
  {
    name: 'commands',
    path: '/',
    shots: [
      [1440, 'dark'],
      [390, 'light'],
    ],
    async prepare(page) {
      await sees('Needs you')(page);
      await page.keyboard.press('Escape');
      await page.keyboard.press('Control+k');
      await expect(page.getByRole('combobox').last()).toBeFocused(PATIENT);
    },
  },
];
