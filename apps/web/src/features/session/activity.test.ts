import type { SessionState } from '@ship/protocol';
import { createId } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { isTurnRunning, describeState } from './activity.ts';

type Seen = Pick<SessionState, 'activity' | 'sandbox' | 'queue'>;
const idle: Seen = { activity: { status: 'idle' }, sandbox: { status: 'none' }, queue: [] };
const turn = {
  turnId: createId('turn'),
  promptId: createId('prm'),
  startedAt: 0,
  attempt: 1,
  continues: false,
};
const prompt = { promptId: createId('prm'), text: 'x', author: 'me' };

describe('the status of a session', () => {
  it.each([
    ['Waiting for you', idle],
    ['Working', { ...idle, activity: { status: 'working', turn } }],
    [
      'Starting',
      { ...idle, sandbox: { status: 'starting', attempt: 1, since: 0 }, queue: [prompt] },
    ],
    ['Queued', { ...idle, queue: [prompt] }],
    ['Sleeping', { ...idle, sandbox: { status: 'asleep', sandboxId: 's', since: 0 } }],
    ['Closed', { ...idle, activity: { status: 'closed', by: 'me' } }],
  ] satisfies [string, Seen][])('%s', (label, seen) => {
    expect(describeState(seen).label).toBe(label);
  });

  it('detects a running turn', () => {
    expect(isTurnRunning(idle)).toBe(false);
    expect(isTurnRunning({ activity: { status: 'stopping', turn, by: 'me' } })).toBe(true);
  });
});
