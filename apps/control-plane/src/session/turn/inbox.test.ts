import { describe, expect, it } from 'vitest';
import { Inbox } from './inbox.ts';

/** Whether a promise is still pending after everything that is ready has run. */
async function isOpen(promise: Promise<void>): Promise<boolean> {
  let isDone = false;
  void promise.then(() => (isDone = true));
  await new Promise((resolve) => setImmediate(resolve));
  return !isDone;
}

describe('an inbox', () => {
  it('[RL6] puts back pressure on a fast stream, by count and by size', async () => {
    const inbox = new Inbox<number>();
    for (let item = 1; item < 50; item++) expect(await isOpen(inbox.offer(item, 1))).toBe(false);
    const full = inbox.offer(50, 1);
    expect(await isOpen(full)).toBe(true);
    expect(await inbox.take(1_000)).toHaveLength(50);
    await full;
    const large = inbox.offer(51, 1_000_000);
    expect(await isOpen(large)).toBe(true);
    expect(await inbox.take(1_000)).toEqual([51]);
    await large;
  });

  it('releases waiting senders when it is closed', async () => {
    const inbox = new Inbox<number>();
    const large = inbox.offer(1, 1_000_000);
    inbox.close();
    await large;
    await inbox.offer(2, 1_000_000);
    // Earlier items stay; later ones are dropped.
    expect(await inbox.take(0)).toEqual([1]);
  });
});
