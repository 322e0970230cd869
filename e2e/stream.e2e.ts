import { rmSync } from 'node:fs';
import { type Page, type WebSocketRoute } from '@playwright/test';
import { createId } from '@ship/protocol';
import { LONG_TIMEOUT, callApi, createRepository } from './app.ts';
import { expect, test } from './ship.ts';

let repository = '';
test.beforeAll(() => {
  repository = createRepository();
});
test.afterAll(() => rmSync(repository, { recursive: true, force: true }));

const turnId = createId('turn');
const promptId = createId('prm');
const PART_FIELDS = { turnId, subagentId: null, kind: 'text', isPartial: false, link: null };

/**
 * Opens a session whose events come from the test at any speed: once the server's events are in, the test takes over the socket.
 */
async function openStream(page: Page) {
  await page.goto('/');
  const made = await callApi(page, 'POST', '/sessions', {
    requestId: `e2e-stream-${Date.now()}`,
    repository,
    title: 'a stream',
  });
  let socket: WebSocketRoute | undefined;
  let newest = 0;
  /** The newest event that the page has received. */
  let seq = 0;
  let isTakenOver = false;
  await page.routeWebSocket(/\/api\/sessions\/[^/]+\/socket/, (route) => {
    socket = route;
    const server = route.connectToServer();
    server.onMessage((message) => {
      if (isTakenOver) return;
      const { newestSeq, upTo } = JSON.parse(String(message)) as Record<string, number | undefined>;
      newest = Math.max(newest, newestSeq ?? 0);
      seq = Math.max(seq, upTo ?? 0);
      route.send(message);
    });
  });
  await page.goto(`/sessions/${String(made?.['sessionId'])}`);
  await expect(page.locator('#composer')).toBeVisible(LONG_TIMEOUT);
  // An event of the test between the server's hello and its events would be a gap, and the server's replay would be dropped.
  await expect.poll(() => newest > 0 && seq >= newest, LONG_TIMEOUT).toBe(true);
  isTakenOver = true;
  const send = (message: object) => socket?.send(JSON.stringify(message));
  const log = (type: string, data: object) => {
    const event = { seq: (seq += 1), at: Date.now(), type, version: 1, data };
    send({ type: 'page', events: [event], upTo: seq, newestSeq: seq });
  };
  log('prompt.queued', { promptId, text: 'Talk', author: 'e2e' });
  log('turn.started', { turnId, promptId, attempt: 1, continues: false });
  return {
    stream: (partId: string, delta: string) =>
      send({
        type: 'live',
        events: [{ type: 'part.delta', data: { turnId, partId, field: 'text', delta } }],
      }),
    finish: (partId: string, text: string) =>
      log('text.finished', { ...PART_FIELDS, partId, text }),
  };
}

const paragraphs = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `Paragraph number ${from + index}.\n\n`).join('');

test('[WB13] a text keeps its position and blocks when it ends, and the newest stays in view', async ({
  page,
}) => {
  const { stream, finish } = await openStream(page);
  const timeline = page.getByRole('region', { name: 'Timeline' });
  // Each chunk is more than a screen, faster than the page's own scroll events.
  for (let round = 0; round < 20; round += 1) {
    stream('one', paragraphs(round * 40, round * 40 + 40));
    await page.waitForTimeout(20);
  }
  await expect(page.getByText('Paragraph number 799.')).toBeInViewport(LONG_TIMEOUT);
  const first = timeline.getByText('Paragraph number 760.');
  await first.evaluate((element) => element.setAttribute('data-seen', 'before the end'));
  finish('one', paragraphs(0, 800));
  stream('two', 'And another one.');
  await expect(timeline.getByText('And another one.')).toBeInViewport(LONG_TIMEOUT);
  await expect(first).toHaveAttribute('data-seen', 'before the end');
  await expect(timeline.getByText('Paragraph number 760.')).toHaveCount(1);
  await expect(page.getByRole('button', { name: 'Jump to latest' })).toHaveCount(0);

  await timeline.hover();
  await page.mouse.wheel(0, -1500);
  await expect(page.getByRole('button', { name: 'Jump to latest' })).toBeVisible(LONG_TIMEOUT);
  stream('two', paragraphs(800, 840));
  await expect(page.getByText('Paragraph number 839.')).toHaveCount(1, LONG_TIMEOUT);
  await expect(page.getByText('Paragraph number 839.')).not.toBeInViewport();
});

test('[WB14] typing and streaming do not delay each other', async ({ page }) => {
  const { stream } = await openStream(page);
  const composer = page.locator('#composer');
  await composer.focus();
  const words = 'this is typed while it talks';
  for (const [index, letter] of words.split('').entries()) {
    for (let i = 0; i < 10; i += 1) stream('one', `word${index}-${i} `);
    await page.keyboard.press(letter === ' ' ? 'Space' : letter);
  }
  await expect(composer).toHaveValue(words);
  await expect(page.getByText('word27-9')).toBeVisible(LONG_TIMEOUT);
});

test('[WB18] code is plain while it streams; highlighting it moves nothing', async ({ page }) => {
  const workers: string[] = [];
  page.on('worker', (worker) => workers.push(worker.url()));
  const { stream, finish } = await openStream(page);
  const code = "Thus:\n\n```ts\nexport const answer = 42;\n// that is 'all'\n```\n\nDone.";
  for (const piece of code.split(/(?<=\s)/)) stream('one', piece);
  await expect(page.getByText('Done.')).toBeVisible(LONG_TIMEOUT);
  const block = page.getByLabel('Code, ts');
  const before = { box: await block.boundingBox(), text: await block.textContent() };
  expect(workers).toEqual([]);
  finish('one', code);
  const keyword = block.getByText('export', { exact: true });
  await expect(keyword).toHaveCSS('color', 'rgb(116, 64, 168)', LONG_TIMEOUT);
  expect({ box: await block.boundingBox(), text: await block.textContent() }).toEqual(before);
  expect(workers).toHaveLength(1);
});

declare global {
  interface Window {
    overlapsPx: number[];
  }
}

/** Records after every frame by how many pixels an entry overlaps the next one. */
function recordOverlaps(): void {
  window.overlapsPx = [];
  const check = () => {
    const boxes = [...document.querySelectorAll('li[data-index]')]
      .map((entry) => entry.getBoundingClientRect())
      .toSorted((a, b) => a.top - b.top);
    for (const [index, { bottom }] of boxes.entries()) {
      const overlapPx = bottom - (boxes[index + 1]?.top ?? bottom);
      if (overlapPx > 2) window.overlapsPx.push(Math.round(overlapPx));
    }
    requestAnimationFrame(() => setTimeout(check));
  };
  check();
}

test('new entries never overlap while the timeline follows them', async ({ page }) => {
  const { finish } = await openStream(page);
  await page.evaluate(recordOverlaps);
  for (let round = 0; round < 15; round += 1) {
    finish(`tall-${round}`, paragraphs(round * 6, round * 6 + 6));
    finish(`short-${round}`, `And then ${round}.`);
    await page.waitForTimeout(60);
  }
  await expect(page.getByText('And then 14.')).toBeInViewport(LONG_TIMEOUT);
  expect(await page.evaluate(() => window.overlapsPx)).toEqual([]);
});
