import { createId } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { unwrap } from '../platform/result.ts';
import { newWorkspace } from '../testing/workspace.ts';

const session = () => createId('ses');

async function workspaceWith(maxWorking: number) {
  const stub = newWorkspace();
  unwrap(await stub.patchSettings({ concurrency: { maxWorking } }, undefined));
  let asked = 0;
  const take = async (sessionId: ReturnType<typeof session>, askedAt = (asked += 1)) =>
    unwrap(await stub.takeSlot(sessionId, askedAt));
  return { stub, take };
}

describe('Slots', () => {
  it('[SL1] no more than the limit work; the rest wait in the order of their requests', async () => {
    const { stub, take } = await workspaceWith(2);
    const [a, b, c, d] = [session(), session(), session(), session()];
    expect([await take(a), await take(b), await take(c), await take(d)]).toEqual([
      true,
      true,
      false,
      false,
    ]);
    unwrap(await stub.releaseSlot(a));
    // The last in the queue asks first and still waits.
    expect([await take(d), await take(c), await take(d)]).toEqual([false, true, false]);
  });

  it('[SL1] a session with a slow sandbox keeps the place of its prompt', async () => {
    const { stub, take } = await workspaceWith(1);
    const [a, slow, c] = [session(), session(), session()];
    expect([await take(a, 1), await take(c, 3), await take(slow, 2)]).toEqual([true, false, false]);
    unwrap(await stub.releaseSlot(a));
    expect([await take(c, 3), await take(slow, 2)]).toEqual([false, true]);
  });

  it('[SL2] asking again changes nothing for a working session', async () => {
    const { take } = await workspaceWith(1);
    const [a, b] = [session(), session()];
    expect([await take(a), await take(a), await take(b), await take(a)]).toEqual([
      true,
      true,
      false,
      true,
    ]);
  });

  it('[SL2] releasing a slot is idempotent, and a higher limit applies at once', async () => {
    const { stub, take } = await workspaceWith(1);
    const [a, b] = [session(), session()];
    await take(a);
    expect(await take(b)).toBe(false);
    unwrap(await stub.patchSettings({ concurrency: { maxWorking: 2 } }, undefined));
    expect(await take(b)).toBe(true);
    unwrap(await stub.releaseSlot(a));
    unwrap(await stub.releaseSlot(a));
  });
});
