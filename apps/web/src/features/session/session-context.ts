import type { Prompt, SessionId, SessionState } from '@ship/protocol';
import { createContext, use } from 'react';
import type { SessionActions } from './use-session-actions.ts';

export interface SessionScope {
  readonly sessionId: SessionId;
  readonly state: SessionState;
  readonly actions: SessionActions;
  /** Undefined if the prompt was queued before the loaded part of the log. */
  readonly promptOf: (promptId: string) => Prompt | undefined;
}

export const SessionContext = createContext<SessionScope | null>(null);

export function useSession(): SessionScope {
  const scope = use(SessionContext);
  if (scope === null) throw new Error('a view of a session was drawn outside of its page');
  return scope;
}
