import { createId } from '@ship/protocol';
import type { LiveMessage } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import { backoffMs } from './backoff.ts';
import { advance, disconnected } from './progress.ts';

const workspaceId = createId('wsp');
const hello = (version: number, id = workspaceId): LiveMessage => ({
  type: 'hello',
  protocolVersion: 1,
  workspaceId: id,
  version,
});
const changes = (...versions: number[]): LiveMessage => ({
  type: 'changes',
  changes: versions.map((version) => ({ version, change: { type: 'board.reordered' } })),
});
const at = (version: number) => ({ workspaceId, version });

describe('following the live list', () => {
  it('[WB1] the first hello reloads everything', () => {
    expect(advance(disconnected, hello(7))).toEqual({
      progress: at(7),
      changes: [],
      mustReload: true,
    });
  });

  it('[WB1] a reconnect resumes and applies each missed change once', () => {
    const greeted = advance(at(7), hello(9));
    expect(greeted).toMatchObject({ progress: at(7), mustReload: false });
    const caughtUp = advance(greeted.progress, changes(8, 9));
    expect(caughtUp).toMatchObject({ progress: at(9), mustReload: false });
    expect(caughtUp.changes).toHaveLength(2);
    expect(advance(caughtUp.progress, changes(8, 9))).toMatchObject({
      progress: at(9),
      changes: [],
      mustReload: false,
    });
  });

  it.each([
    ['a gap', changes(9)],
    ['a reset', { type: 'reset', version: 12 } satisfies LiveMessage],
    ['another workspace', hello(3, createId('wsp'))],
    ['a workspace that went back in time', hello(3)],
  ])('[WB1] %s reloads everything', (_, message) => {
    expect(advance(at(7), message).mustReload).toBe(true);
  });
});

describe('backoffMs', () => {
  it('grows up to a limit and is never zero', () => {
    expect(backoffMs(0, 0)).toBe(125);
    expect(backoffMs(3, 1)).toBe(4000);
    expect(backoffMs(50, 1)).toBe(15_000);
  });
});
