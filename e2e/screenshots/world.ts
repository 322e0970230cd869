/** A Ship with enough data for screenshots: every kind of session, created through the API. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SAMPLE_REPOSITORY } from '@ship/demo-model';
import { PullRequestView } from '@ship/protocol';
import type { Browser, Page } from '@playwright/test';
import { callApi } from '../app.ts';
import { attempt } from './attempt.ts';
import { sandboxOf } from '../sandbox.ts';
import { Ship } from '../ship.ts';
import { makeRepositories } from './repositories.ts';
import { PICTURE_SCRIPT, SETUP_SCRIPT, STEPS_BEFORE_TESTS, TASKS } from './rules.ts';

export type SessionName = keyof typeof TASKS | 'merged';

export interface World {
  readonly ship: Ship;
  readonly page: Page;
  /** The sessions that were created. */
  readonly sessions: Readonly<Partial<Record<SessionName, string>>>;
  readonly remove: () => Promise<void>;
}

/** A Ship without data. */
export async function launchEmptyWorld(browser: Browser) {
  const folder = mkdtempSync(join(tmpdir(), 'ship-pictures-'));
  const script = join(folder, 'script.json');
  writeFileSync(script, JSON.stringify(PICTURE_SCRIPT));
  const ship = await Ship.launchWithNetwork('--demo-script', script);
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

type Empty = Awaited<ReturnType<typeof launchEmptyWorld>>;

/** Creates the selected sessions, two at a time: more agents would only slow each other down. */
export async function createSessions(
  empty: Empty,
  isWanted: (name: SessionName) => boolean,
): Promise<World> {
  const { ship, page, bookshelf, storefront, lamps, remove } = empty;
  const sessions: Partial<Record<SessionName, string>> = {};
  const create = async (
    name: SessionName,
    repository: string,
    prompt: string,
    isReached: Condition,
    more = {},
  ) => {
    if (!isWanted(name)) return;
    await attempt(`the session "${name}"`, async () => {
      sessions[name] = await createUntil(
        page,
        () => session(page, repository, prompt, more),
        isReached,
      );
    });
  };
  await Promise.all([
    create('merged', bookshelf, SAMPLE_REPOSITORY.prompt, isIdle),
    create('finished', storefront, TASKS.finished, isIdle),
  ]);
  await Promise.all([
    create('plan', storefront, TASKS.plan, ({ needsYou }) => needsYou === 'plan', { mode: 'plan' }),
    create('question', storefront, TASKS.question, ({ needsYou }) => needsYou === 'question'),
  ]);
  await Promise.all([
    create('search', storefront, TASKS.search, isAtTests),
    create('error', storefront, TASKS.error, ({ needsYou }) => needsYou === 'error'),
  ]);
  await create('booting', lamps, TASKS.booting, ({ status }) => status === 'working');
  const { merged, search } = sessions;
  if (merged !== undefined) await attempt('merging', () => merge(page, merged));
  if (search !== undefined) await attempt('the shop', () => serveShop(ship, search));
  await addBacklog(page, { bookshelf, storefront });
  return { ship, page, remove, sessions };
}

/** Serves the session's working copy for the preview. */
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

async function addBacklog(
  page: Page,
  { bookshelf, storefront }: Pick<Empty, 'bookshelf' | 'storefront'>,
) {
  const cards = [
    ['Sort search results by relevance', bookshelf],
    ['Show how many books there are beside the page number', bookshelf],
    ['Remember the cart across visits', storefront],
  ] as const;
  for (const [title, repository] of cards)
    await callApi(page, 'POST', '/board/cards', { requestId: id(), title, repository });
  await callApi(page, 'PUT', '/secrets/NPM_TOKEN', { value: 'not-a-real-token' });
  await callApi(page, 'PUT', '/secrets/STRIPE_TEST_KEY', { value: 'not-a-real-key' });
  await callApi(page, 'POST', '/tokens', { name: 'CI of storefront' });
}

let count = 0;
const id = () => `picture-${Date.now()}-${(count += 1)}`;

async function session(page: Page, repository: string, prompt: string, more = {}): Promise<string> {
  const body = { requestId: id(), repository, prompt, model: 'demo/demo', ...more };
  const made = await callApi(page, 'POST', '/sessions', body);
  return String(made?.['sessionId']);
}

/** Adds the repositories with a verify command. */
export async function addRepositories(empty: Empty): Promise<void> {
  const { page, bookshelf, library, storefront, lamps } = empty;
  for (const location of [bookshelf, library, storefront, lamps])
    await callApi(page, 'POST', '/repositories', {
      location,
      verifyCommand: 'npm test',
      ...(location === lamps && { setupCommand: SETUP_SCRIPT.command }),
    });
}

async function merge(page: Page, sessionId: string): Promise<void> {
  const path = `/sessions/${sessionId}/pull-request`;
  await callApi(page, 'POST', `${path}/ready`, { requestId: id() });
  const { pullRequest } = PullRequestView.parse(await callApi(page, 'GET', path));
  const { headSha } = pullRequest;
  await callApi(page, 'POST', `${path}/merge`, { requestId: id(), headSha });
}

type Summary = Record<string, unknown>;
type Condition = (summary: Summary) => boolean;
const isAtTests = ({ step }: Summary) => Number(step) >= STEPS_BEFORE_TESTS;
const isIdle = ({ status, pullRequest }: Summary) => status === 'idle' && pullRequest !== null;

/** Retries with a new session: on a very busy machine an agent may fail to start. */
async function createUntil(
  page: Page,
  start: () => Promise<string>,
  isReached: Condition,
): Promise<string> {
  for (let tries = 1; ; tries += 1) {
    const sessionId = await start();
    const summary = await until(
      page,
      sessionId,
      (now) => isReached(now) || now['status'] === 'failed',
    );
    if (isReached(summary)) return sessionId;
    if (tries === 3) throw new Error(`${sessionId} failed: ${JSON.stringify(summary)}`);
    await callApi(page, 'DELETE', `/sessions/${sessionId}`);
  }
}

async function until(page: Page, sessionId: string, isReached: Condition): Promise<Summary> {
  let summary: Summary = {};
  for (let i = 0; i < 720; i += 1) {
    const view = await callApi(page, 'GET', `/sessions/${sessionId}`);
    summary = view?.['summary'] as Summary;
    if (isReached(summary)) return summary;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  throw new Error(`${sessionId} did not reach the expected state: ${JSON.stringify(summary)}`);
}
