/**
 * The built web app in headless Chromium, against a real server on this machine. The stream is synthetic, at a known pace
 * (stream-injector.ts). Half an hour of it is sent in about two minutes: as many tokens and events, but faster.
 */
import { cpSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { chromium } from '@playwright/test';
import { type Harness, LOCAL_TOKEN, openHarness } from '../../apps/control-plane/test/harness.ts';
import { until } from '../../apps/control-plane/test/harness/api.ts';
import config from '../../e2e/playwright.config.ts';
import { ROOT } from '../../scripts/setup/paths.mjs';
import { newSignInCookie } from '../../scripts/testing/sign-in.ts';
import { type Goal, type Report, goal, median, round } from '../report.ts';
import { lengthen } from './events.ts';
import { StreamInjector } from './stream-injector.ts';
import {
  Stream,
  type SignedInBrowser,
  close,
  firstLoad,
  heapMb,
  open,
  percentile,
  takeSamples,
  type,
} from './measures.ts';

const LOADS = 5;
const EVENTS = 5_000;
const KEYS = 150;
const QUIET_KEYS = 80;
/** Thirty minutes at 200 tokens a second. */
const LONG_STREAM_TOKENS = 360_000;
const TOKENS_AT_ONCE = 40;
const HOME = '#new-task';
const SESSION = '#composer';

interface BenchContext extends SignedInBrowser {
  readonly harness: Harness;
  readonly url: string;
}

interface Found {
  readonly goals: readonly Goal[];
  readonly figures: Record<string, unknown>;
}

const MEASURES: Readonly<Record<string, (context: BenchContext) => Promise<Found>>> = {
  firstLoad: home,
  longSession,
  streaming,
  terminal,
  memory,
};

export async function benchWeb(): Promise<Report> {
  const harness = await openHarness();
  const browser = await chromium.launch(config.use?.launchOptions);
  const report: Report & { goals: Goal[] } = { goals: [] };
  try {
    cpSync(join(ROOT, 'apps/web/dist'), join(dirname(harness.plane.objectsFolder), 'page'), {
      recursive: true,
    });
    const url = `http://ship.localhost:${harness.plane.port}`;
    const context = { browser, harness, url, cookie: await newSignInCookie(url, LOCAL_TOKEN) };
    for (const [name, measure] of Object.entries(MEASURES))
      try {
        const { goals, figures } = await measure(context);
        report.goals.push(...goals);
        report[name] = figures;
      } catch (error) {
        // The other figures are still reported.
        report[name] = { failed: String(error).slice(0, 500) };
      }
    return report;
  } finally {
    await browser.close();
    await harness.close();
  }
}

async function home(context: BenchContext): Promise<Found> {
  const loads = [];
  for (let i = 0; i < LOADS; i += 1) loads.push(await firstLoad(context, context.url, HOME));
  const scriptKb = round(Math.max(...loads.map(({ scriptBytes }) => scriptBytes)) / 1000);
  const readyMs = loads.map((load) => round(load.readyMs));
  return {
    goals: [
      goal('first load, JavaScript (KB, compressed)', scriptKb, 250),
      goal('first load, interactive (ms, p50)', median(readyMs), 1_000),
    ],
    figures: { scriptKb, readyMs },
  };
}

async function longSession(context: BenchContext): Promise<Found> {
  const { harness, url } = context;
  const { sessionId } = await harness.api.create();
  await harness.plane.kill();
  lengthen(harness.plane.objectsFolder, sessionId, EVENTS);
  await harness.plane.start();
  // Folds all events once and leaves a snapshot, as if the events had come one by one.
  await harness.api.ask('PATCH', `/sessions/${sessionId}`, {
    requestId: 'bench-web',
    title: 'long',
  });
  const readyMs: number[] = [];
  for (let i = 0; i < LOADS; i += 1) {
    const page = await open(context, `${url}/sessions/${sessionId}`, SESSION);
    readyMs.push(round((await page.evaluate(() => window.watched.readyMs)) ?? Number.NaN));
    await close(page);
  }
  return {
    goals: [goal('session with 5,000 events, interactive (ms, p50)', median(readyMs), 1_200)],
    figures: { events: EVENTS, readyMs },
  };
}

/** An open page on a new session, and its agent's stream. */
async function watching<Value>(
  context: BenchContext,
  work: (parts: { page: Awaited<ReturnType<typeof open>>; stream: Stream }) => Promise<Value>,
): Promise<Value> {
  const { harness } = context;
  const { sessionId } = await harness.api.create();
  const injector = await StreamInjector.before(harness.plane.port);
  try {
    await settled(harness, sessionId);
    const page = await open(context, `${injector.url}/sessions/${sessionId}`, SESSION);
    await until(
      async () => injector.watchers,
      (watchers) => watchers === 1,
    );
    const { state } = await harness.api.view(sessionId);
    const stream = new Stream(injector, state.seq);
    await stream.begin();
    const answer = await work({ page, stream });
    await close(page);
    return answer;
  } finally {
    injector.close();
  }
}

/** Waits until the server itself sends no more events for a session: their numbers must not collide with ours. */
function settled({ api }: Harness, sessionId: Parameters<Harness['api']['view']>[0]) {
  return until(
    async () => (await api.view(sessionId)).state.sandbox.status,
    (status) => status === 'running' || status === 'failed',
  );
}

function streaming(context: BenchContext): Promise<Found> {
  return watching(context, async ({ page, stream }) => {
    // Warms up: code that is compiled for the first time is not what people feel for the rest of the day.
    await stream.during(() => page.waitForTimeout(2_000));
    await page.locator(SESSION).focus();
    await type(page, QUIET_KEYS, 60);
    const quiet = await takeSamples(page);
    const startMs = performance.now();
    const from = stream.sent;
    await stream.during(() => type(page, KEYS, 60));
    const perSecond = (stream.sent - from) / ((performance.now() - startMs) / 1000);
    const { keysMs, paintsMs, longTasksMs } = await takeSamples(page);
    const longestMs = round(Math.max(0, ...longTasksMs));
    const p95 = percentile(keysMs, 0.95);
    const drawn = percentile(paintsMs, 0.95);
    const drawnWhenQuiet = percentile(quiet.paintsMs, 0.95);
    return {
      goals: [
        goal('typing while 200 tokens/s stream, key to letter (ms, p95)', p95, 16),
        goal(
          'the same until it is drawn, p95 (times that when nothing streams)',
          round(drawn / drawnWhenQuiet),
          1.5,
        ),
        goal('longest task while streaming (ms)', longestMs, 100),
      ],
      figures: {
        keys: keysMs.length,
        tokensPerSecond: round(perSecond),
        keyToLetterMs: { p50: percentile(keysMs, 0.5), p95 },
        // The browser draws 60 times per second: up to 17 ms are the wait for the next frame.
        keyToDrawnMs: { p50: percentile(paintsMs, 0.5), p95: drawn },
        whenNothingStreams: {
          keyToLetterMs: {
            p50: percentile(quiet.keysMs, 0.5),
            p95: percentile(quiet.keysMs, 0.95),
          },
          keyToDrawnMs: { p50: percentile(quiet.paintsMs, 0.5), p95: drawnWhenQuiet },
        },
        longTasks: longTasksMs.length,
      },
    };
  });
}

async function terminal(context: BenchContext): Promise<Found> {
  const { harness, url } = context;
  const { sessionId } = await harness.api.create();
  await settled(harness, sessionId);
  const page = await open(context, `${url}/sessions/${sessionId}?pane=terminal`, '.xterm-rows');
  await page.locator('.xterm-screen').first().click({ timeout: 60_000 });
  await page.keyboard.type('cat > /dev/null\n');
  await page.waitForTimeout(1_500);
  await page.evaluate(() => (window.watched.echoesMs.length = 0));
  await type(page, KEYS, 60);
  const { echoesMs } = await page.evaluate(() => window.watched);
  await close(page);
  const p95 = percentile(echoesMs, 0.95);
  return {
    goals: [goal('terminal, key to echo (ms, p95)', p95, 30)],
    figures: { keys: echoesMs.length, keyToEchoMs: { p50: percentile(echoesMs, 0.5), p95 } },
  };
}

function memory(context: BenchContext): Promise<Found> {
  return watching(context, async ({ page, stream }) => {
    const heapsMb = [await heapMb(page)];
    const startMs = performance.now();
    for (const share of [1 / 3, 2 / 3, 1]) {
      while (stream.sent < LONG_STREAM_TOKENS * share) {
        await stream.send(TOKENS_AT_ONCE);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      heapsMb.push(await heapMb(page));
    }
    const [, third = Number.NaN, , whole = Number.NaN] = heapsMb;
    return {
      goals: [
        goal('memory after 30 minutes of stream (times that after 10)', round(whole / third), 1.3),
      ],
      figures: {
        heapsMb,
        tokens: stream.sent,
        toldInSeconds: round((performance.now() - startMs) / 1000),
      },
    };
  });
}
