import type { SessionId } from '@ship/protocol';
import { takeBytes } from '../session/push-quota.ts';
import type { PushLedger } from '../git/gateway/push-allowance.ts';

/** An in-memory push ledger with the rule that sessions use. */
export function memoryLedger(): PushLedger & { pushed(sessionId: SessionId): number } {
  const pushed = new Map<SessionId, number>();
  const read = (sessionId: SessionId) => pushed.get(sessionId) ?? 0;
  return {
    pushed: read,
    take: async (sessionId, bytes, limitBytes) => {
      const granted = takeBytes(read(sessionId), bytes, limitBytes);
      pushed.set(sessionId, read(sessionId) + granted);
      return granted;
    },
    giveBack: async (sessionId, bytes) => void pushed.set(sessionId, read(sessionId) - bytes),
  };
}
