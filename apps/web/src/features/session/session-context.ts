import type { Prompt, SessionId, SessionState } from '@ship/protocol';
import { createContext, use } from 'react';
import type { SessionActions } from './use-session-actions.ts';

export interface SessionScope {
  readonly sessionId: SessionId;
  readonly state: SessionState;
  readonly actions: SessionActions;
  /** Undefined when it was queued so long ago that its page of the log is not loaded. */
  readonly promptOf: (promptId: string) => Prompt | undefined;
}

export const SessionContext = createContext<SessionScope | null>(null);

export function useSession(): SessionScope {
  const scope = use(SessionContext);
  if (scope === null) throw new Error('a view of a session was drawn outside of its page');
  return scope;
}
