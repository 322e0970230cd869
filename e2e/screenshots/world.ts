/** A Ship with enough in it to be looked at: every kind of session, made as people make them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SAMPLE_REPOSITORY } from '@ship/demo-model';
import { PullRequestView } from '@ship/protocol';
import type { Browser, Page } from '@playwright/test';
import { call } from '../app.ts';
import { attempt } from './attempt.ts';
import { sandboxOf } from '../sandbox.ts';
import { Ship } from '../ship.ts';
import { makeRepositories } from './repositories.ts';
import { PICTURE_SCRIPT, SETUP_SCRIPT, STEPS_BEFORE_TESTS, TASKS } from './rules.ts';

export type SessionName = keyof typeof TASKS | 'merged';

export interface World {
  readonly ship: Ship;
  readonly page: Page;
  /** Those that could be had. */
  readonly sessions: Readonly<Partial<Record<SessionName, string>>>;
  readonly remove: () => Promise<void>;
}

/** Nothing in it yet. */
export async function emptyWorld(browser: Browser) {
  const folder = mkdtempSync(join(tmpdir(), 'ship-pictures-'));
  const script = join(folder, 'script.json');
  writeFileSync(script, JSON.stringify(PICTURE_SCRIPT));
  const ship = await Ship.launchOnline('--demo-script', script);
  const context = await browser.newContext({ baseURL: ship.url, reducedMotion: 'reduce' });
  await ship.signIn(context);
  const page = await context.newPage();
  return {
    ship,
    page,
    ...makeRepositories(folder),
    remove: async () => {
      await ship.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

type Empty = Awaited<ReturnType<typeof emptyWorld>>;

/** Those sessions that are wanted, two at a time: more agents that start at once only wait for one another. */
export async function fill(empty: Empty, isWanted: (name: SessionName) => boolean): Promise<World> {
  const { ship, page, bookshelf, storefront, lamps, remove } = empty;
  const sessions: Partial<Record<SessionName, string>> = {};
  const get = async (
    name: SessionName,
    repository: string,
    prompt: string,
    holds: Holds,
    more = {},
  ) => {
    if (!isWanted(name)) return;
    await attempt(`the session "${name}"`, async () => {
      sessions[name] = await insist(page, () => session(page, repository, prompt, more), holds);
    });
  };
  await Promise.all([
    get('merged', bookshelf, SAMPLE_REPOSITORY.prompt, isIdle),
    get('finished', storefront, TASKS.finished, isIdle),
  ]);
  await Promise.all([
    get('plan', storefront, TASKS.plan, ({ needsYou }) => needsYou === 'plan', { mode: 'plan' }),
    get('question', storefront, TASKS.question, ({ needsYou }) => needsYou === 'question'),
  ]);
  await Promise.all([
    get('search', storefront, TASKS.search, isAtTests),
    get('error', storefront, TASKS.error, ({ needsYou }) => needsYou === 'error'),
  ]);
  await get('booting', lamps, TASKS.booting, ({ status }) => status === 'working');
  const { merged, search } = sessions;
  if (merged !== undefined) await attempt('merging', () => merge(page, merged));
  if (search !== undefined) await attempt('the shop', () => serveShop(ship, search));
  await backlog(page, { bookshelf, storefront });
  return { ship, page, remove, sessions };
}

/** What the agent works on, to be looked at in the preview. */
async function serveShop(ship: Ship, sessionId: string): Promise<void> {
  const sandbox = await sandboxOf(ship, sessionId);
  const { stdout } = await sandbox.commands.run(
    'dirname $(find /home -name shop.test.js -print -quit)',
  );
  await sandbox.commands.run(`cd ${stdout.trim()} && python3 -m http.server 8080`, {
    background: true,
    timeoutMs: 0,
  });
}

async function backlog(
  page: Page,
  { bookshelf, storefront }: Pick<Empty, 'bookshelf' | 'storefront'>,
) {
  const cards = [
    ['Sort search results by relevance', bookshelf],
    ['Show how many books there are beside the page number', bookshelf],
    ['Remember the cart across visits', storefront],
  ] as const;
  for (const [title, repository] of cards)
    await call(page, 'POST', '/board/cards', { requestId: id(), title, repository });
  await call(page, 'PUT', '/secrets/NPM_TOKEN', { value: 'not-a-real-token' });
  await call(page, 'PUT', '/secrets/STRIPE_TEST_KEY', { value: 'not-a-real-key' });
  await call(page, 'POST', '/tokens', { name: 'CI of storefront' });
}

let count = 0;
const id = () => `picture-${Date.now()}-${(count += 1)}`;

async function session(page: Page, repository: string, prompt: string, more = {}): Promise<string> {
  const body = { requestId: id(), repository, prompt, model: 'demo/demo', ...more };
  const made = await call(page, 'POST', '/sessions', body);
  return String(made?.['sessionId']);
}

/** With a command that tells whether they are well. */
export async function addRepositories(empty: Empty): Promise<void> {
  const { page, bookshelf, library, storefront, lamps } = empty;
  for (const location of [bookshelf, library, storefront, lamps])
    await call(page, 'POST', '/repositories', {
      location,
      verifyCommand: 'npm test',
      ...(location === lamps && { setupCommand: SETUP_SCRIPT.command }),
    });
}

async function merge(page: Page, sessionId: string): Promise<void> {
  const path = `/sessions/${sessionId}/pull-request`;
  await call(page, 'POST', `${path}/ready`, { requestId: id() });
  const { pullRequest } = PullRequestView.parse(await call(page, 'GET', path));
  const { headSha } = pullRequest;
  await call(page, 'POST', `${path}/merge`, { requestId: id(), headSha });
}

type Summary = Record<string, unknown>;
type Holds = (summary: Summary) => boolean;
const isAtTests = ({ step }: Summary) => Number(step) >= STEPS_BEFORE_TESTS;
const isIdle = ({ status, pullRequest }: Summary) => status === 'idle' && pullRequest !== null;

/** An agent may fail to start on a machine that is very busy: then another one. */
async function insist(page: Page, start: () => Promise<string>, holds: Holds): Promise<string> {
  for (let tries = 1; ; tries += 1) {
    const sessionId = await start();
    const summary = await until(page, sessionId, (now) => holds(now) || now['status'] === 'failed');
    if (holds(summary)) return sessionId;
    if (tries === 3) throw new Error(`${sessionId} failed: ${JSON.stringify(summary)}`);
    await call(page, 'DELETE', `/sessions/${sessionId}`);
  }
}

async function until(page: Page, sessionId: string, holds: Holds): Promise<Summary> {
  let summary: Summary = {};
  for (let i = 0; i < 720; i += 1) {
    const view = await call(page, 'GET', `/sessions/${sessionId}`);
    summary = view?.['summary'] as Summary;
    if (holds(summary)) return summary;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  throw new Error(`${sessionId} did not get there: ${JSON.stringify(summary)}`);
}
