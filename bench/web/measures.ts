import { gzipSync } from 'node:zlib';
import type { Browser, Page } from '@playwright/test';
import { createId } from '@ship/protocol';
import type { SignInCookie } from '../../scripts/testing/sign-in.ts';
import { round } from '../table.ts';
import { beginning, finishedText, textOf, token } from './events.ts';
import type { Front } from './front.ts';
import { type Watched, watch } from './in-page.ts';

const TOKENS_PER_SECOND = 200;
const TOKENS_PER_PART = 1_500;
const PATIENT = { timeout: 60_000 };

export interface Visitor {
  readonly browser: Browser;
  readonly cookie: SignInCookie;
}

/** A browser that is signed in and has loaded nothing yet. */
export async function open(
  { browser, cookie }: Visitor,
  url: string,
  selector: string,
): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  await context.addCookies([cookie]);
  const page = await context.newPage();
  await page.addInitScript(watch, selector);
  await page.goto(url, PATIENT);
  await page.waitForFunction(() => window.watched.readyMs !== undefined, undefined, PATIENT);
  return page;
}

export const close = (page: Page) => page.context().close();

export async function firstLoad({ browser, cookie }: Visitor, url: string, selector: string) {
  const sizes: Promise<number>[] = [];
  const context = await browser.newContext();
  await context.addCookies([cookie]);
  const page = await context.newPage();
  page.on('response', (response) => {
    if (response.request().resourceType() !== 'script') return;
    // What is fetched for later, once the page is at rest, may be cut off by its end.
    const size = response.body().then(
      (body) => gzipSync(body).byteLength,
      () => 0,
    );
    sizes.push(size);
  });
  await page.addInitScript(watch, selector);
  await page.goto(url, PATIENT);
  await page.waitForFunction(() => window.watched.readyMs !== undefined, undefined, PATIENT);
  const scriptBytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  const readyMs = (await page.evaluate(() => window.watched.readyMs)) ?? Number.NaN;
  await context.close();
  return { scriptBytes, readyMs };
}

export function percentile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  return round(
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN,
  );
}

/** What an agent says, put onto the socket of a page that is open. */
export class Stream {
  readonly #front: Front;
  readonly #turnId = createId('turn');
  #seq: number;
  #said = 0;
  #partFrom = 0;

  constructor(front: Front, newestSeq: number) {
    this.#front = front;
    this.#seq = newestSeq;
  }

  get said(): number {
    return this.#said;
  }

  begin(): Promise<void> {
    return this.#page(beginning(this.#turnId));
  }

  /** So many tokens, each an event of its own, in one message. */
  async say(count: number): Promise<void> {
    const partId = `part-${this.#partFrom}`;
    const events = Array.from({ length: count }, (_, index) => ({
      type: 'part.delta',
      data: { turnId: this.#turnId, partId, field: 'text', delta: token(this.#said + index) },
    }));
    await this.#front.push({ type: 'live', events });
    this.#said += count;
    if (this.#said - this.#partFrom < TOKENS_PER_PART) return;
    await this.#page([finishedText(this.#turnId, partId, textOf(this.#partFrom, this.#said))]);
    this.#partFrom = this.#said;
  }

  /** At the pace of a quick model, one message for each token, for as long as the work takes. */
  async during<Value>(work: () => Promise<Value>): Promise<Value> {
    const startMs = performance.now();
    const from = this.#said;
    const over = new AbortController();
    const telling = (async () => {
      while (!over.signal.aborted) {
        const due = ((performance.now() - startMs) / 1000) * TOKENS_PER_SECOND;
        while (this.#said - from < due) await this.say(1);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    })();
    try {
      return await work();
    } finally {
      over.abort();
      await telling;
    }
  }

  async #page(made: readonly object[]): Promise<void> {
    const events = made.map((event) => ({ ...event, seq: (this.#seq += 1), at: Date.now() }));
    await this.#front.push({ type: 'page', events, upTo: this.#seq, newestSeq: this.#seq });
  }
}

/** One key after another, as a person types. */
export async function type(page: Page, keys: number, gapMs: number): Promise<void> {
  for (let i = 0; i < keys; i += 1) {
    await page.keyboard.press('abcdefghij'[i % 10] ?? 'a');
    await page.waitForTimeout(gapMs);
  }
}

/** What the stopwatches in the page have found since they were last asked. */
export const taken = (page: Page): Promise<Watched> =>
  page.evaluate(() => {
    const { watched } = window;
    const found = structuredClone(watched);
    for (const samples of [watched.keysMs, watched.paintsMs, watched.longTasksMs])
      samples.length = 0;
    return found;
  });

/** After the garbage is gone. */
export async function heapMb(page: Page): Promise<number> {
  const client = await page.context().newCDPSession(page);
  await client.send('HeapProfiler.collectGarbage');
  await client.send('HeapProfiler.collectGarbage');
  const { usedSize } = await client.send('Runtime.getHeapUsage');
  await client.detach();
  return round(usedSize / 1e6);
}
