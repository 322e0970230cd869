import { type SessionCommand, type Turn, createId, shipError } from '@ship/protocol';
import { describe, expect, it } from 'vitest';
import type { SessionStore } from './session-store.ts';
import { TurnSupervisor } from './turn-supervisor.ts';

const GONE = shipError('gone', 'The file is not there.', 'Look.');

/** The failure of a turn whose worker reports that something is gone. */
async function failureOf(isSandboxRunning: boolean, throws: boolean): Promise<unknown> {
  const turn = { turnId: createId('turn'), attempt: 1 } as Turn;
  const observed: SessionCommand[] = [];
  // The part of the store that the supervisor uses.
  const store = {
    state: { activity: { status: 'working', turn } },
    metadata: { write: () => undefined },
    observe: (command: SessionCommand) => void observed.push(command),
  } as unknown as SessionStore;
  const drive = async () => {
    if (throws) throw Object.assign(new Error('no'), { name: 'NotFoundError' });
    return { kind: 'fail', error: GONE } as const;
  };
  const { promise, resolve: onIdle } = Promise.withResolvers<void>();
  const worker = { drive, prefetch: () => undefined, verifyAgain: async () => undefined };
  const supervisor = new TurnSupervisor(store, worker, {
    onIdle,
    isSandboxRunning: async () => isSandboxRunning,
  });
  supervisor.advance('drive');
  await promise;
  return observed;
}

describe('a turn that fails with `gone`', () => {
  it.each([true, false])('[SB16] is final in a live sandbox (thrown: %s)', async (throws) =>
    expect(await failureOf(true, throws)).toMatchObject([
      { type: 'turn.fail', error: { code: 'gone', category: 'persistent' } },
    ]),
  );

  it.each([true, false])(
    '[SB11] is retried when its sandbox is gone (thrown: %s)',
    async (throws) =>
      expect(await failureOf(false, throws)).toMatchObject([
        { type: 'turn.fail', error: { code: 'unavailable', category: 'transient' } },
      ]),
  );
});
