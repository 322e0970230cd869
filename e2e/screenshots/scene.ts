import type { Page } from '@playwright/test';
import { expect } from '@playwright/test';
import type { SessionName } from './world.ts';

export type Width = 390 | 1024 | 1440;
type Scheme = 'light' | 'dark';

export interface Scene {
  readonly name: string;
  /** Null keeps the current page. */
  readonly path: string | { readonly session: SessionName; readonly rest?: string } | null;
  readonly shots: readonly (readonly [Width, Scheme])[];
  /** Waits for content and performs actions before the picture. */
  readonly prepare?: (page: Page) => Promise<unknown>;
}

export const HEIGHTS: Readonly<Record<Width, number>> = { 390: 844, 1024: 768, 1440: 900 };
export const LONG_TIMEOUT = { timeout: 30_000 };

/** Every width, and both colour schemes. */
export const three = [
  [1440, 'light'],
  [1024, 'dark'],
  [390, 'light'],
] as const;

export const all = [
  [1440, 'light'],
  [1440, 'dark'],
  [1024, 'light'],
  [390, 'light'],
  [390, 'dark'],
] as const;

export const waitForText = (text: string | RegExp) => (page: Page) =>
  expect(page.getByText(text).first()).toBeVisible(LONG_TIMEOUT);
