import { gzipSync } from 'node:zlib';
import type { Browser, Page } from '@playwright/test';
import { createId } from '@ship/protocol';
import type { SignInCookie } from '../../scripts/testing/sign-in.ts';
import { round } from '../report.ts';
import { beginning, finishedText, textOf, token } from './events.ts';
import type { StreamInjector } from './stream-injector.ts';
import { type Watched, watch } from './in-page.ts';

const TOKENS_PER_SECOND = 200;
const TOKENS_PER_PART = 1_500;
const LONG_TIMEOUT = { timeout: 60_000 };

export interface SignedInBrowser {
  readonly browser: Browser;
  readonly cookie: SignInCookie;
}

/** A signed-in browser that has loaded nothing yet. */
export async function open(
  { browser, cookie }: SignedInBrowser,
  url: string,
  selector: string,
): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  await context.addCookies([cookie]);
  const page = await context.newPage();
  await page.addInitScript(watch, selector);
  await page.goto(url, LONG_TIMEOUT);
  await page.waitForFunction(() => window.watched.readyMs !== undefined, undefined, LONG_TIMEOUT);
  return page;
}

export const close = (page: Page) => page.context().close();

export async function firstLoad(
  { browser, cookie }: SignedInBrowser,
  url: string,
  selector: string,
) {
  const sizes: Promise<number>[] = [];
  const context = await browser.newContext();
  await context.addCookies([cookie]);
  const page = await context.newPage();
  page.on('response', (response) => {
    if (response.request().resourceType() !== 'script') return;
    // Closing the page may cut off files that are prefetched once it is idle.
    const size = response.body().then(
      (body) => gzipSync(body).byteLength,
      () => 0,
    );
    sizes.push(size);
  });
  await page.addInitScript(watch, selector);
  await page.goto(url, LONG_TIMEOUT);
  await page.waitForFunction(() => window.watched.readyMs !== undefined, undefined, LONG_TIMEOUT);
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

/** An agent's stream, injected into the socket of an open page. */
export class Stream {
  readonly #injector: StreamInjector;
  readonly #turnId = createId('turn');
  #seq: number;
  #sent = 0;
  #partFrom = 0;

  constructor(injector: StreamInjector, newestSeq: number) {
    this.#injector = injector;
    this.#seq = newestSeq;
  }

  get sent(): number {
    return this.#sent;
  }

  begin(): Promise<void> {
    return this.#page(beginning(this.#turnId));
  }

  /** Sends this many tokens, each as a separate event, in one message. */
  async send(count: number): Promise<void> {
    const partId = `part-${this.#partFrom}`;
    const events = Array.from({ length: count }, (_, index) => ({
      type: 'part.delta',
      data: { turnId: this.#turnId, partId, field: 'text', delta: token(this.#sent + index) },
    }));
    await this.#injector.push({ type: 'live', events });
    this.#sent += count;
    if (this.#sent - this.#partFrom < TOKENS_PER_PART) return;
    await this.#page([finishedText(this.#turnId, partId, textOf(this.#partFrom, this.#sent))]);
    this.#partFrom = this.#sent;
  }

  /** Streams at the pace of a fast model, one message per token, for as long as the work takes. */
  async during<Value>(work: () => Promise<Value>): Promise<Value> {
    const startMs = performance.now();
    const from = this.#sent;
    const over = new AbortController();
    const streaming = (async () => {
      while (!over.signal.aborted) {
        const due = ((performance.now() - startMs) / 1000) * TOKENS_PER_SECOND;
        while (this.#sent - from < due) await this.send(1);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    })();
    try {
      return await work();
    } finally {
      over.abort();
      await streaming;
    }
  }

  async #page(made: readonly object[]): Promise<void> {
    const events = made.map((event) => ({ ...event, seq: (this.#seq += 1), at: Date.now() }));
    await this.#injector.push({ type: 'page', events, upTo: this.#seq, newestSeq: this.#seq });
  }
}

/** Presses one key after another, like a person who types. */
export async function type(page: Page, keys: number, gapMs: number): Promise<void> {
  for (let i = 0; i < keys; i += 1) {
    await page.keyboard.press('abcdefghij'[i % 10] ?? 'a');
    await page.waitForTimeout(gapMs);
  }
}

/** Takes the samples of the stopwatches in the page since the last call. */
export const takeSamples = (page: Page): Promise<Watched> =>
  page.evaluate(() => {
    const { watched } = window;
    const found = structuredClone(watched);
    for (const samples of [watched.keysMs, watched.paintsMs, watched.longTasksMs])
      samples.length = 0;
    return found;
  });

/** Heap size after garbage collection. */
export async function heapMb(page: Page): Promise<number> {
  const client = await page.context().newCDPSession(page);
  await client.send('HeapProfiler.collectGarbage');
  await client.send('HeapProfiler.collectGarbage');
  const { usedSize } = await client.send('Runtime.getHeapUsage');
  await client.detach();
  return round(usedSize / 1e6);
}
