import type { SessionState } from '@ship/protocol';

/** Facts that a gateway knows about the bearer of a capability. */
export interface CapabilityBearer {
  /** The sandbox that the capability was issued for. */
  sandboxId: string;
  /** The sandbox that the request came from; null when the connection does not identify it. */
  from: string | null;
}

type Known = Pick<SessionState, 'activity' | 'sandbox'>;

/**
 * Whether a capability is valid: only in the sandbox that it was issued for, and only while that is the sandbox of an open
 * session. `helpers` are sandboxes that the session created to fetch its repository for later sessions.
 */
export function mayUseCapability(
  state: Known | undefined,
  { sandboxId, from }: CapabilityBearer,
  helpers: ReadonlySet<string> = new Set(),
): boolean {
  if (state === undefined || state.activity.status === 'closed') return false;
  const { sandbox } = state;
  if (!('sandboxId' in sandbox) || sandbox.status === 'lost') return false;
  if (sandbox.sandboxId !== sandboxId) return false;
  return from === null || from === sandboxId || helpers.has(from);
}
